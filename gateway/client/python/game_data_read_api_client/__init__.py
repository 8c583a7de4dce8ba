"""The client of a Game Data Read API, with the standard library alone."""

from __future__ import annotations

import email.utils
import hashlib
import http.client
import json
import os
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Union

if TYPE_CHECKING:
    import pandas

__all__ = ["BuildChangedError", "Client", "Game", "Problem"]

Record = Dict[str, Any]
Query = Mapping[str, Any]

MAX_RECORDS = 1000
"""The largest page."""
_JOINED = ("sort", "ids", "fields", "columns")
"""Lists that are one parameter, separated by commas; other lists are repeated parameters."""


class Problem(Exception):
    """The response was an error. Its message says what was wrong and what was expected."""

    def __init__(self, status: int, problem: Record, retry_after: Optional[float]) -> None:
        super().__init__(problem.get("detail", f"HTTP status {status}"))
        self.status = status
        #: Stable, for programs: ``unknown-game``. Empty if the response was not from the gateway.
        self.code: str = problem.get("code", "")
        self.problem = problem
        #: The seconds to wait before the next try.
        self.retry_after = retry_after


class BuildChangedError(Exception):
    """Another build became current between two pages of a list: start again."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Makes a redirect an error: the request to its target would have the key, also on another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


class Client:
    """A client of a gateway."""

    def __init__(
        self,
        address: str,
        key: Optional[str] = None,
        *,
        cache: Union[str, "os.PathLike[str]", None] = None,
        retries: int = 3,
        max_wait: float = 60,
        timeout: float = 30,
    ) -> None:
        """
        :param address: the address of the gateway: ``https://api.example.org``
        :param key: the API key
        :param cache: a folder that keeps responses by their ETags: what did not change costs nothing, not even one request of the quota
        :param retries: how often a request is sent again after 429 and 503
        :param max_wait: a longer wait is an error at once, in seconds
        :param timeout: of each try, in seconds
        """
        self._address = address.rstrip("/")
        self._key = key
        self._cache = None if cache is None else os.path.expanduser(os.fspath(cache))
        self._retries = retries
        self._max_wait = max_wait
        self._timeout = timeout

    def game(self, slug: str) -> Game:
        """One game."""
        return Game(self, slug)

    def get(self, path: str, query: Optional[Query] = None) -> Any:
        """Requests any address: ``client.get("/api/me")``. Raises Problem."""
        target = path + _encode(query or {})
        file = self._file_of(target)
        kept = _read_kept(file)
        headers = {"If-None-Match": kept["etag"]} if kept else {}
        for attempt in range(self._retries + 1):
            try:
                with self._open(target, headers) as response:
                    text = response.read().decode()
                    etag = response.headers.get("ETag")
                    if file and etag:
                        _keep(file, etag, text)
                    return json.loads(text)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code == 304 and kept:
                        return json.loads(kept["text"])
                    wait = _read_wait(error.headers)
                    problem = Problem(error.code, _read_problem(error), wait)
                seconds = 2.0**attempt if wait is None else wait
                if error.code not in (429, 503) or attempt == self._retries or seconds > self._max_wait:
                    raise problem from None
                time.sleep(seconds)
        raise AssertionError("unreachable")

    def _open(self, target: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        key = {"X-API-Key": self._key} if self._key else {}
        request = urllib.request.Request(self._address + target, headers={**key, **headers})
        response: http.client.HTTPResponse = _OPENER.open(request, timeout=self._timeout)
        return response

    def _file_of(self, target: str) -> Optional[str]:
        """What a key may see depends on it, so its hash is part of the name."""
        if self._cache is None:
            return None
        name = "\n".join([self._address, self._key or "", target])
        return os.path.join(self._cache, hashlib.sha256(name.encode()).hexdigest() + ".json")


class Game:
    """One game of a gateway. All methods raise Problem."""

    def __init__(self, client: Client, slug: str) -> None:
        self._client = client
        self._path = "/api/" + urllib.parse.quote(slug, safe="")

    def page(self, list: str, query: Optional[Query] = None) -> Record:
        """One page of a list (``characters``, or the key of a dataset): ``records``, ``total``, ``build`` and so on."""
        page: Record = self.get(list, query)
        if "characters" in page:
            page["records"] = page.pop("characters")
        return page

    def each(self, list: str, query: Optional[Query] = None) -> Iterator[Record]:
        """All matching records of a list, page by page. Raises BuildChangedError."""
        given = {"limit": MAX_RECORDS, **(query or {})}
        offset = int(given.get("offset") or 0)
        build = None
        while True:
            page = self.page(list, {**given, "offset": offset})
            build = build or page["build"]
            if page["build"] != build:
                raise BuildChangedError(f"the build changed from {build} to {page['build']} between two pages")
            yield from page["records"]
            offset += page["count"]
            if page["count"] == 0 or offset >= page["total"]:
                return

    def record(self, list: str, id: str, query: Optional[Query] = None) -> Record:
        """One full record."""
        record: Record = self.get(f"{list}/{urllib.parse.quote(id, safe='')}", query)
        return record

    def object(self, key: str) -> Record:
        """A dataset that is one object."""
        data: Record = self.get(key)["data"]
        return data

    def compare(self, ids: List[str]) -> Record:
        """One to six characters side by side."""
        comparison: Record = self.get("compare", {"ids": ids})
        return comparison

    def get(self, path: str, query: Optional[Query] = None) -> Any:
        """Any address below the game: ``game.get("names")``."""
        return self._client.get(f"{self._path}/{path}", query)

    def to_pandas(self, list: str, query: Optional[Query] = None) -> pandas.DataFrame:
        """All matching records as a data frame, with a column per dotted key. Ids are its index, as texts. Needs pandas."""
        import pandas

        frame = pandas.json_normalize([*self.each(list, query)])
        return frame.set_index("id") if "id" in frame else frame


def _encode(query: Query) -> str:
    pairs = []
    for name, value in query.items():
        if value is None:
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        texts = [str(each).lower() if isinstance(each, bool) else str(each) for each in values]
        pairs += [(name, ",".join(texts))] if name in _JOINED else [(name, text) for text in texts]
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _read_wait(headers: Any) -> Optional[float]:
    """Reads Retry-After, which is a number of seconds or a date. Anything else counts as none."""
    text = headers.get("Retry-After") or ""
    if text.isdecimal() and text.isascii():
        return float(text)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


def _read_problem(error: urllib.error.HTTPError) -> Record:
    target = error.headers.get("Location")
    if error.code != 304 and 300 <= error.code < 400 and target:
        return {"detail": f"the address redirects to {target}, and the key is not sent there; give the client the address of the gateway itself"}
    if not (error.headers.get("Content-Type") or "").startswith("application/problem+json"):
        return {}
    problem: Record = json.loads(error.read())
    return problem


def _read_kept(file: Optional[str]) -> Optional[Dict[str, str]]:
    """Reads a kept response. A damaged file counts as none."""
    if file is None:
        return None
    try:
        with open(file, encoding="utf-8") as opened:
            kept: Dict[str, str] = json.load(opened)
        return kept if {"etag", "text"} <= kept.keys() else None
    except (OSError, ValueError, AttributeError):
        return None


def _keep(file: str, etag: str, text: str) -> None:
    """Writes a response whole or not at all, as several programs may share the folder. What cannot be written is not kept."""
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        handle, written = tempfile.mkstemp(dir=os.path.dirname(file))
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            json.dump({"etag": etag, "text": text}, opened)
        os.replace(written, file)
    except OSError:
        pass
