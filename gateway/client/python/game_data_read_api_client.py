"""The client of a Game Data Read API, with the standard library alone."""

import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Iterator, Mapping, Optional

# Lists that are one parameter, separated by commas; other lists are repeated parameters.
_JOINED = ("sort", "ids", "fields", "columns")


class Problem(Exception):
    """The response was an error. Its message says what was wrong and what was expected; `code` is stable, for programs."""

    def __init__(self, status: int, problem: Dict[str, Any]) -> None:
        super().__init__(problem.get("detail", f"HTTP status {status}"))
        self.status, self.problem, self.code = status, problem, problem.get("code", "")


class BuildChangedError(Exception):
    """The content changed between two pages of a list: start again."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Makes a redirect an error: the request to its target would have the key, also on another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """Sends requests with the key, and again after 429 and 503, unless the wait is longer than `max_wait` seconds."""

    def __init__(self, address: str, key: Optional[str] = None, *, retries: int = 3, max_wait: float = 60, timeout: float = 30) -> None:
        self._address, self._headers = address.rstrip("/"), {"X-API-Key": key} if key else {}
        self._retries, self._max_wait, self._timeout = retries, max_wait, timeout
        self._open = urllib.request.build_opener(_NoRedirects).open

    def get(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Any:
        """Requests an address: ``client.get("/api/me")``. Raises Problem."""
        return self._get(path, query or {})[0]

    def each(self, path: str, query: Optional[Mapping[str, Any]] = None) -> Iterator[Dict[str, Any]]:
        """All matching records of a list, page by page: ``client.each("/api/genshin-impact/characters", {"element": "Pyro"})``."""
        offset, content = int((query or {}).get("offset") or 0), None
        while (query or {}).get("ids") not in ([], ()):
            page, etag = self._get(path, {"limit": 1000, **(query or {}), "offset": offset})
            tag = re.sub(r'^(W/)?"[^-]+-(.+)-[^-]+"$', r"\2", etag) or page["build"]
            if content not in (None, tag):
                raise BuildChangedError(f"the content of {path} changed between two pages")
            content = tag
            yield from page["records"] if "records" in page else page["characters"]
            offset += page["count"]
            if page["count"] == 0 or offset >= page["total"]:
                return

    def _get(self, path: str, query: Mapping[str, Any]) -> Any:
        request = urllib.request.Request(self._address + path + _encode(query), headers=self._headers)
        for attempt in range(self._retries + 1):
            try:
                with self._open(request, timeout=self._timeout) as response:
                    return json.loads(response.read()), response.headers.get("ETag") or ""
            except urllib.error.HTTPError as error:
                with error:
                    is_problem = (error.headers.get("Content-Type") or "").startswith("application/problem+json")
                    problem = Problem(error.code, json.loads(error.read()) if is_problem else {})
                    seconds = error.headers.get("Retry-After") or ""
                    wait = float(seconds) if re.fullmatch("[0-9]+", seconds) else 2.0**attempt
                if error.code not in (429, 503) or attempt == self._retries or wait > self._max_wait:
                    raise problem from None
                time.sleep(wait)


def _encode(query: Mapping[str, Any]) -> str:
    pairs = []
    for name, value in query.items():
        values = value if isinstance(value, (list, tuple)) else [] if value is None else [value]
        texts = [str(each).lower() if isinstance(each, bool) else str(each) for each in values]
        pairs += [(name, ",".join(texts))] if name in _JOINED and value is not None else [(name, text) for text in texts]
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""
