#!/usr/bin/env python3
"""Writes all characters of a game to a CSV file, one row each. Needs only Python 3.8 or later.

    API_KEY=gdr_… python3 characters-to-csv.py http://127.0.0.1:3000 genshin-impact characters.csv

For a DataFrame: pandas.read_csv("characters.csv", dtype={"id": str}), or pandas.DataFrame(read_characters(…)).
"""
import csv
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

PAGE_SIZE = 100
MAX_TRIES = 5
MAX_WAIT_SECONDS = 120


def get(gateway, key, path, **parameters):
    """Requests an address below /api/; waits and tries again where the gateway says when."""
    url = f"{gateway}/api/{path}?{urllib.parse.urlencode(parameters)}"
    request = urllib.request.Request(url, headers={"X-API-Key": key})
    for attempt in range(1, MAX_TRIES + 1):
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            try:
                detail = json.load(error)["detail"]  # application/problem+json
            except (ValueError, KeyError):
                detail = error.reason
            wait = error.headers.get("Retry-After", "")
            # 429: the quota is used up. 503: the service is not available for a moment.
            is_short = wait.isdigit() and int(wait) <= MAX_WAIT_SECONDS
            if error.code not in (429, 503) or not is_short or attempt == MAX_TRIES:
                raise SystemExit(f"{url}: {error.code} {detail}") from None
            print(f"waiting {wait} s: {detail}", file=sys.stderr)
            time.sleep(int(wait))
        except urllib.error.URLError as error:
            raise SystemExit(f"{url}: {error.reason}") from None


def flatten(record, prefix=""):
    """Turns {"stats": {"hp": 1}} into {"stats.hp": 1}, and lists into JSON."""
    row = {}
    for name, value in record.items():
        if isinstance(value, dict):
            row.update(flatten(value, f"{prefix}{name}."))
        else:
            row[prefix + name] = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return row


def read_characters(gateway, key, game):
    """Reads the whole roster, page by page; from the start again where a new build appears in between."""
    rows, build, total = [], None, 1
    while len(rows) < total:
        page = get(gateway, key, f"{urllib.parse.quote(game)}/characters", limit=PAGE_SIZE, offset=len(rows))
        if build not in (None, page["build"]):
            rows, build = [], None
            continue
        build, total = page["build"], page["total"]
        rows += [flatten(record) for record in page["characters"]]
    return rows


if __name__ == "__main__":
    if len(sys.argv) != 4 or "API_KEY" not in os.environ:
        raise SystemExit(__doc__)
    rows = read_characters(sys.argv[1].rstrip("/"), os.environ["API_KEY"], sys.argv[2])
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with open(sys.argv[3], "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    print(f"{len(rows)} characters in {sys.argv[3]}")
