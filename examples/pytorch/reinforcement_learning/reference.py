"""The program of main.go in Python: a pole that is balanced on a cart.

    python reference.py --method actor-critic
"""

import argparse
import math
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical

ENOUGH = 475
GRAVITY, FORCE, TICK = 9.8, 10.0, 0.02
CART_MASS, POLE_MASS, LENGTH = 1.0, 0.1, 0.5
MASS = CART_MASS + POLE_MASS


def sine(x):
    q = x * x
    return x * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72))))


def cosine(x):
    q = x * x
    return 1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56 * (1 - q / 90))))


class CartPole:
    def __init__(self, seed):
        self.random = torch.Generator().manual_seed(seed)

    def reset(self):
        self.at = [(v - 0.5) * 0.1 for v in torch.rand(4, dtype=torch.float64, generator=self.random).tolist()]
        self.steps = 0
        return self.at

    def step(self, action):
        push = -FORCE if action == 0 else FORCE
        x, v, angle, turn = self.at
        sin, cos = sine(angle), cosine(angle)
        pull = (push + POLE_MASS * LENGTH * turn * turn * sin) / MASS
        turning = (GRAVITY * sin - cos * pull) / (LENGTH * (4.0 / 3.0 - POLE_MASS * cos * cos / MASS))
        moving = pull - POLE_MASS * LENGTH * turning * cos / MASS
        self.at = [x + TICK * v, v + TICK * moving, angle + TICK * turn, turn + TICK * turning]
        self.steps += 1
        return self.at, abs(self.at[0]) > 2.4 or abs(self.at[2]) > 12 * math.pi / 180 or self.steps == 500


class Reinforce(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 128)
        self.dropout = nn.Dropout(0.6)
        self.affine2 = nn.Linear(128, 2)

    def forward(self, x):
        return F.softmax(self.affine2(F.relu(self.dropout(self.affine1(x)))), -1), None


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 128)
        self.action_head = nn.Linear(128, 2)
        self.value_head = nn.Linear(128, 1)

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), -1), self.value_head(x)


def episode_loss(log_probs, values, gamma):
    worth, total = [], 0.0
    for _ in log_probs:
        total = 1 + gamma * total
        worth.insert(0, total)
    returns = torch.tensor(worth)
    returns = (returns - returns.mean()) / (returns.std() + 2**-23)
    log_probs = torch.cat(log_probs)
    if values[0] is None:
        return (-log_probs * returns).sum()
    values = torch.cat(values).flatten()
    advantage = returns - values.detach()
    return (-log_probs * advantage).sum() + F.smooth_l1_loss(values, returns, reduction="sum")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--method", default="reinforce", choices=["reinforce", "actor-critic"])
    p.add_argument("--gamma", type=float, default=0.99)
    p.add_argument("--log-interval", type=int, default=10)
    p.add_argument("--seed", type=int, default=543)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of episodes; -1: when it is solved")
    p.add_argument("--losses", help="write seconds and loss of each episode to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    policy, rate = (Reinforce(), 1e-2) if args.method == "reinforce" else (ActorCritic(), 3e-2)
    opt = torch.optim.Adam(policy.parameters(), lr=rate)
    pole = CartPole(args.seed)
    running, log = 10.0, []
    while running <= ENOUGH and len(log) != args.steps:
        log_probs, values, reward = [], [], 0
        state, over = pole.reset(), False
        while not over:
            probs, value = policy(torch.tensor([state]))
            d = Categorical(probs)
            action = d.sample()
            log_probs.append(d.log_prob(action))
            values.append(value)
            state, over = pole.step(action.item())
            reward += 1
        opt.zero_grad()
        loss = episode_loss(log_probs, values, args.gamma)
        loss.backward()
        opt.step()
        log.append(f"{time.time():.6f} {loss.item():.9g}\n")
        running = 0.05 * reward + 0.95 * running
        if len(log) % args.log_interval == 0:
            print(f"episode {len(log)}: reward {reward}, in the mean {running:.2f}")
    if running > ENOUGH:
        print(f"solved after {len(log)} episodes: the mean reward is {running:.2f}")
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
