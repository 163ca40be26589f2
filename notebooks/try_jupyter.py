"""Does what users do: installs the kernel twice, runs a cell with it, and removes it. With --lab
it starts the server of `make notebooks MODE=lab` without a browser, and runs a cell through its API.

Needs libtorch's environment, as build.sh does. The kernel is installed in a new HOME.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from tornado.ioloop import IOLoop
from tornado.websocket import websocket_connect

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
CELL = 'import "github.com/gotorch/gotorch/torch"\ntorch.Arange(4).Sum().ItemInt()'
RUN = f"""
import session
print(session.outputs([{CELL!r}])[0])
"""
WAIT = 120  # seconds


def run(*command, env=None):
    return subprocess.run([str(c) for c in command], cwd=HERE, env=env, check=True,
                          capture_output=True, text=True).stdout


def new_home(home):
    """The environment of a user with an empty home, but with this user's Go modules and build cache."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "XDG_"))}
    for name in ("GOPATH", "GOMODCACHE", "GOCACHE"):
        env[name] = run("go", "env", name).strip()
    env["HOME"] = str(home)
    return env


def listed(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def kernel():
    with tempfile.TemporaryDirectory() as home:
        env = new_home(home)
        folder = Path(home, ".local/share/jupyter/kernels/gotorch")
        run("bash", HERE / "build.sh", "--install", env=env)
        first = listed(folder)
        assert sorted(first) == ["gotorch-kernel", "kernel.json"], sorted(first)
        run("bash", HERE / "build.sh", "--install", env=env)
        assert listed(folder) == first, "installing it again changes it"
        assert run(sys.executable, "-c", RUN, env=env).strip() == "6"
        run(BIN / "jupyter", "kernelspec", "remove", "-f", "gotorch", env=env)
        assert not folder.exists(), "it is still there"
    print("make notebooks MODE=kernel: ok")


class Server:
    """JupyterLab, as `make notebooks MODE=lab` starts it."""

    def __init__(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.token = os.urandom(8).hex()
        self.log = tempfile.TemporaryFile("w+")
        flags = (f"--no-browser --allow-root --ServerApp.port={self.port} --ServerApp.port_retries=0 "
                 f"--IdentityProvider.token={self.token}")
        self.process = subprocess.Popen(["make", "-C", HERE.parent, "jupyter", f"ARGS={flags}"],
                                        stdout=self.log, stderr=self.log)

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=WAIT) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def started(self):
        while self.process.poll() is None:
            try:
                return self.call("GET", "/api/status")
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.2)
        self.log.seek(0)
        raise RuntimeError(self.log.read())

    async def execute(self, kernel, code):
        socket = await websocket_connect(f"ws://127.0.0.1:{self.port}/api/kernels/{kernel}/channels?token={self.token}",
                                         connect_timeout=WAIT)
        header = {"msg_id": "1", "msg_type": "execute_request", "username": "", "session": "1", "version": "5.3",
                  "date": "2020-01-01T00:00:00Z"}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        await socket.write_message(
            json.dumps({"header": header, "parent_header": {}, "metadata": {}, "content": content,
                        "channel": "shell", "buffers": []})
        )
        while True:
            message = json.loads(await socket.read_message())
            if message["msg_type"] in ("execute_result", "error"):
                socket.close()
                return message["content"]


def lab():
    server = Server()
    try:
        server.started()
        specs = server.call("GET", "/api/kernelspecs")["kernelspecs"]
        assert specs["gotorch"]["spec"]["display_name"] == "Go (gotorch)", specs
        kernel = server.call("POST", "/api/kernels", {"name": "gotorch"})["id"]
        assert [k["id"] for k in server.call("GET", "/api/kernels")] == [kernel]
        result = IOLoop.current().run_sync(lambda: server.execute(kernel, CELL), timeout=WAIT)
        assert result["data"]["text/plain"] == "6", result
        assert "tensors.ipynb" in [f["name"] for f in server.call("GET", "/api/contents")["content"]]
        server.call("DELETE", f"/api/kernels/{kernel}")
        assert server.call("GET", "/api/kernels") == []
        server.call("POST", "/api/shutdown", {})
        assert server.process.wait(WAIT) == 0
    finally:
        server.process.terminate()
    print("make notebooks MODE=lab: ok")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lab", action="store_true")
    if parser.parse_args().lab:
        lab()
    kernel()


if __name__ == "__main__":
    main()
