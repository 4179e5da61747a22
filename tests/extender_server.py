"""A real extender: an HTTP(S) server on this machine that answers what a test wants."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """Answers by the last part of the path.

    Attributes:
        answers: verb -> JSON-like value, bytes, or `(code, bytes)`; a callable is called with the request.
        requests: verb and body of every request, in order.
        connections: how many were opened.
    """

    def __init__(self, tls=None):
        self.answers, self.requests, self.connections = {}, [], 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                outer.connections += 1

            def do_POST(self):
                verb = self.path.rsplit("/", 1)[1]
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((verb, body))
                answer = outer.answers[verb]
                answer = answer(body) if callable(answer) else answer
                code, content = answer if isinstance(answer, tuple) else (200, answer)
                content = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(code)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args):
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"{'https' if tls else 'http'}://{self.host}/sched"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
