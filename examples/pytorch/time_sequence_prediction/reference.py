"""The program of main.go in Python: LSTM cells that learn sine waves by L-BFGS.

    python reference.py --waves 20 --length 200 --steps 5
"""

import argparse
import time

import torch
import torch.nn.functional as F
from torch import nn

PERIOD, TESTED, HIDDEN = 20, 3, 51  # value i of a wave is sin(i/PERIOD)


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, HIDDEN)
        self.lstm2 = nn.LSTMCell(HIDDEN, HIDDEN)
        self.linear = nn.Linear(HIDDEN, 1)
        self.double()

    def forward(self, x, future=0):
        out = []
        h1, c1, h2, c2 = (torch.zeros(len(x), HIDDEN, dtype=torch.float64) for _ in range(4))
        for value in x.split(1, dim=1):
            h1, c1 = self.lstm1(value, (h1, c1))
            h2, c2 = self.lstm2(h1, (h2, c2))
            value = self.linear(h2)
            out.append(value)
        for _ in range(future):
            h1, c1 = self.lstm1(value, (h1, c1))
            h2, c2 = self.lstm2(h1, (h2, c2))
            value = self.linear(h2)
            out.append(value)
        return torch.cat(out, dim=1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--waves", type=int, default=100, help="number of sine waves; 3 of them are for the test")
    p.add_argument("--length", type=int, default=1000, help="values per wave")
    p.add_argument("--future", type=int, default=1000, help="values to predict after the end of a wave")
    p.add_argument("--lr", type=float, default=0.8)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=15)
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    g = torch.Generator().manual_seed(2)
    shift = torch.randint(-4 * PERIOD, 4 * PERIOD, (args.waves, 1), generator=g)
    waves = torch.sin((torch.arange(args.length) + shift).double() / PERIOD)
    input, target = waves[TESTED:, :-1], waves[TESTED:, 1:]
    test_input, test_target = waves[:TESTED, :-1], waves[:TESTED, 1:]
    model = Sequence()
    opt = torch.optim.LBFGS(model.parameters(), lr=args.lr)
    log = []

    def closure():
        opt.zero_grad()
        loss = F.mse_loss(model(input), target)
        loss.backward()
        return loss

    for step in range(args.steps):
        loss = opt.step(closure).item()
        log.append(f"{time.time():.6f} {loss:.9g}\n")
        with torch.no_grad():
            said = model(test_input, args.future)
            tests = F.mse_loss(said[:, : args.length - 1], test_target).item()
        print(f"step {step + 1}: loss {loss:.8f}, test loss {tests:.8f}")
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
