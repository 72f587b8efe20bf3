"""A server on this machine in place of the public sources of data sets."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class PublicFiles:
    """What the server answers, and what it was asked: files by path; those in ``cut`` end halfway."""

    def __init__(self):
        self.files, self.cut, self.asked = {}, set(), []


@contextmanager
def serving():
    """(address, PublicFiles) while the server runs."""
    public = PublicFiles()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            public.asked.append(self.path)
            content = public.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if self.path in public.cut else content)

        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", public
        finally:
            server.shutdown()
            thread.join()
