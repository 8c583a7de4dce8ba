# %% [markdown]
# # A stat over builds, and games side by side
#
# Set `ADDRESS` and `API_KEY` in the environment. The first part needs a Pro key, as only Pro sees past builds.

# %%
import importlib.util
import os

from game_data_read_api_client import Client, Problem

client = Client(os.environ["ADDRESS"], key=os.environ["API_KEY"])
games = client.get("/api/games")["games"]
game = "/api/" + os.environ.get("GAME", games[0]["slug"])

# %% [markdown]
# ## The attack of a character in each build

# %%
character = client.get(f"{game}/characters", {"sort": "-stats.atk", "limit": 1, "fields": ["name"]})["characters"][0]
points = []
try:
    series = client.get(f"{game}/history/{character['id']}/series", {"fields": ["stats.atk"]})["series"]
    points = [(point["build"], point["values"][0]) for point in series]
    print(character["name"], points)
except Problem as problem:
    if problem.code != "pro-only":
        raise
    print(problem)

# %% [markdown]
# ## How many characters each game has

# %%
counts = {each["title"]: each["counts"]["characters"] for each in games}
print(counts)

# %% [markdown]
# ## Both as a picture, if matplotlib is installed

# %%
if importlib.util.find_spec("matplotlib"):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (over_builds, beside) = plt.subplots(1, 2, figsize=(12, 4))
    over_builds.plot([build for build, _ in points], [value for _, value in points], marker="o")
    over_builds.set(title=f"{character['name']}: attack", xlabel="build")
    beside.barh(list(counts), list(counts.values()))
    beside.set(title="Characters")
    figure.tight_layout()
    figure.savefig(os.environ.get("PLOT", "stats-over-builds.png"))
