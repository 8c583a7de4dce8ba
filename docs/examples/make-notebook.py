"""Makes stats-over-builds.ipynb from the cells of stats-over-builds.py."""

import json
import pathlib
import re

folder = pathlib.Path(__file__).parent
text = (folder / "stats-over-builds.py").read_text()
cells = []
for number, part in enumerate(re.split(r"^# %%", text, flags=re.M)[1:]):
    head, _, body = part.partition("\n")
    lines = body.strip("\n").splitlines(keepends=True)
    if "markdown" in head:
        lines = [re.sub(r"^# ?", "", line) for line in lines]
        cells.append({"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": lines})
    else:
        empty = {"execution_count": None, "outputs": []}
        cells.append({"cell_type": "code", "id": f"cell-{number}", "metadata": {}, **empty, "source": lines})
kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
(folder / "stats-over-builds.ipynb").write_text(json.dumps(notebook, indent=1) + "\n")
