# %% [markdown]
# # A stat over builds, and games side by side
#
# Set `ADDRESS` and `API_KEY` in the environment. The first part needs a Pro key, as only Pro sees past builds.

# %%
import os

from game_data_read_api_client import Client, Problem

client = Client(os.environ["ADDRESS"], key=os.environ["API_KEY"])
games = client.get("/api/games")["games"]
game = "/api/" + os.environ.get("GAME", games[0]["slug"])

# %% [markdown]
# ## The attack of a character in each build

# %%
character = client.get(f"{game}/characters", {"sort": "-stats.atk", "limit": 1, "fields": ["name"]})["characters"][0]
try:
    series = client.get(f"{game}/history/{character['id']}/series", {"fields": ["stats.atk"]})["series"]
    print(character["name"], [(point["build"], point["values"][0]) for point in series])
except Problem as problem:
    if problem.code != "pro-only":
        raise
    print(problem)

# %% [markdown]
# ## How many characters each game has

# %%
counts = {each["title"]: each["counts"]["characters"] for each in games}
print(counts)
