"""Writes golden/checkpoint.pth, a checkpoint after five training steps. Prints the losses of the
next five steps, which TestTrainingGoesOnFromACheckpointOfPython expects.

    python checkpoint.py
"""

import pathlib

import torch

here = pathlib.Path(__file__).parent / "golden"


def main():
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    x, y = torch.randn(16, 4), torch.randn(16, 2)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    opt = torch.optim.Adam(model.parameters(), lr=0.05, betas=(0.8, 0.99), weight_decay=0.01, amsgrad=True)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=3, gamma=0.5)

    def step():
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        sched.step()
        return loss.item()

    losses = [step() for _ in range(5)]
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": opt.state_dict(),
            "scheduler": sched.state_dict(),
            "epoch": 5,
            "losses": losses,
            "rng": torch.get_rng_state(),
            "data": (x, y),
        },
        here / "checkpoint.pth",
    )
    print([step() for _ in range(5)])


if __name__ == "__main__":
    main()
