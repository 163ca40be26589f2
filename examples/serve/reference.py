"""serve in Python, for comparison: FastAPI on uvicorn, with uvloop and httptools.

    python reference.py --model mlp --port 8080 [--workers 2] [--threads 1]
    python reference.py --losses FILE

It uses the same JSON. With --losses it sends itself the requests of main.go -losses. The model runs on
the event loop, because passing a request to a thread costs more than such a small model.
"""

import argparse
import http.client
import json
import os
import socket
import threading
import time

import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from torch import nn


class Input(BaseModel):
    input: list[float]


class Output(BaseModel):
    output: list[float]


def make(name):
    if name == "mlp":
        return (32,), nn.Sequential(
            nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)
        )
    return (1, 28, 28), nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(64 * 5 * 5, 128), nn.ReLU(), nn.Linear(128, 10),
    )  # fmt: skip


def application():
    """Returns the application of one worker. Its settings are in environment variables."""
    torch.set_num_threads(int(os.environ["SERVE_THREADS"]))
    torch.manual_seed(0)
    shape, model = make(os.environ["SERVE_MODEL"])
    model.eval()
    app = FastAPI()

    @app.get("/healthz")
    async def healthz():
        return "ok"

    @app.post("/predict")
    async def predict(request: Input) -> Output:
        with torch.inference_mode():
            x = torch.tensor(request.input).view(1, *shape)
            return Output(output=model(x)[0].tolist())

    return app


def ask(port, losses, model):
    """Sends requests of random numbers one after another, and writes the numbers of the answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    torch.manual_seed(1)
    size = 32 if model == "mlp" else 784
    with open(losses, "w") as f:
        for x in torch.randn(200, size).tolist():
            connection.request("POST", "/predict", json.dumps({"input": x}), {"Content-Type": "application/json"})
            for y in json.load(connection.getresponse())["output"]:
                f.write(f"{time.time():.6f} {y:.9g}\n")
    connection.close()


def ask_itself(losses, model):
    """Runs the server while this process sends it requests."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(
            application, factory=True, loop="uvloop", http="httptools", access_log=False, log_level="warning",
        ))  # fmt: skip
        thread = threading.Thread(target=server.run, args=[[listener]])
        thread.start()
        while not server.started:
            time.sleep(0.01)
        ask(listener.getsockname()[1], losses, model)
        server.should_exit = True
        thread.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=["mlp", "cnn"], default="mlp")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--losses",
                        help="send itself requests, and write seconds and numbers of the answers to this file")
    args = parser.parse_args()
    os.environ["SERVE_MODEL"] = args.model
    os.environ["SERVE_THREADS"] = str(args.threads)
    if args.losses:
        ask_itself(args.losses, args.model)
        raise SystemExit
    uvicorn.run(
        "reference:application", factory=True, host="127.0.0.1", port=args.port,
        workers=args.workers, loop="uvloop", http="httptools", access_log=False,
        log_level="warning", app_dir=os.path.dirname(os.path.abspath(__file__)),
    )  # fmt: skip
