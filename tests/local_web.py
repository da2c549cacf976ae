"""A server on this machine that stands for every host of the web."""

import http.client
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Answers(BaseHTTPRequestHandler):
    """Answer as the server's routes say; the last answer of a path holds for ever."""

    def do_GET(self):
        self.server.requests.append(self.path)
        answers = self.server.routes.get(self.path, [(404, b"no such file", 0)])
        status, body, kept_back = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) - kept_back])

    def log_message(self, *arguments):
        """Say nothing."""


class LocalWeb(ThreadingHTTPServer):
    """Routes are path -> list of (status, body, bytes of the body that are kept back)."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.clear()

    def clear(self):
        """Forget the routes, and what was asked for."""
        self.routes, self.requests = {}, []

    def answer(self, path, body):
        """Answer with a body, whole, whenever the path is asked for."""
        self.routes[path] = [(200, body, 0)]


class Detour(urllib.request.HTTPSHandler):
    """Send what is meant for any host to a port of this machine."""

    def __init__(self, port):
        super().__init__()
        self.port = port

    def https_open(self, request):
        def connect(host, timeout, **options):
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

        return self.do_open(connect, request)


def detour(port):
    """Let urllib reach nothing but the port, until another opener is installed."""
    no_proxy = urllib.request.ProxyHandler({})
    urllib.request.install_opener(urllib.request.build_opener(no_proxy, Detour(port)))
