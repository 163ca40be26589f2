"""The program of main.go in Python, with pytorch-kinematics. It has the same targets and
solves, and prints the same numbers.

    pip install pytorch-kinematics==0.10.0
    python reference.py --robot arm7
"""

import argparse
import math
import os
import time
import xml.etree.ElementTree as ET

import pytorch_kinematics as pk
import torch

here = os.path.dirname(os.path.abspath(__file__))


def limits(chain, dtype):
    low, high = (torch.tensor(v, dtype=dtype) for v in chain.get_joint_limits())
    return (low.clamp(min=-math.pi) if low.isinf().any() else low,
            high.clamp(max=math.pi) if high.isinf().any() else high)


def random_positions(chain, n):
    low, high = limits(chain, chain.dtype)
    return torch.rand(n, chain.n_joints) * (high - low) + low


def new_solver(chain, retries):
    return pk.PseudoInverseIK(chain, num_retries=retries, joint_limits=torch.stack(limits(chain, chain.dtype), 1),
                              early_stopping_any_converged=True)


def timed(n, fn):
    """Mean nanoseconds of n calls, after n/10 calls to warm up."""
    for _ in range(n // 10):
        fn()
    start = time.perf_counter_ns()
    for _ in range(n):
        fn()
    return (time.perf_counter_ns() - start) // n


def bench(chain, args):
    th = random_positions(chain, 1000)
    targets = chain.forward_kinematics(random_positions(chain, args.problems))
    solver = new_solver(chain, args.retries)
    with torch.no_grad():
        place = timed(200, lambda: chain.forward_kinematics(th))
        solve = timed(10, lambda: solver.solve(targets))
        print(f"bench fk={place} ik={solve} iterations={solver.solve(targets).iterations}")


def errors_of_solves(chain, args):
    """Writes seconds and the mean error of all attempts, in metres, for each of several solves."""
    begun = time.perf_counter()
    with open(args.losses, "w") as f:
        for _ in range(args.solves):
            targets = chain.forward_kinematics(random_positions(chain, args.problems))
            error = new_solver(chain, args.retries).solve(targets).err_pos.mean().item()
            f.write(f"{time.perf_counter() - begun:.6f} {error:.9g}\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--robot", default="arm7")
    p.add_argument("--urdf")
    p.add_argument("--end", default="tool")
    p.add_argument("--problems", type=int, default=100)
    p.add_argument("--retries", type=int, default=10)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--bench", action="store_true")
    p.add_argument("--losses", help="write seconds and errors of each solve to this file")
    p.add_argument("--solves", type=int, default=20)
    args = p.parse_args()

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    with open(args.urdf or os.path.join(here, "robots", args.robot + ".urdf")) as f:
        text = f.read()
    chain = pk.build_serial_chain_from_urdf(text, args.end)
    if args.bench:
        return bench(chain, args)
    chain = chain.to(dtype=torch.float64)
    if args.losses:
        return errors_of_solves(chain, args)
    robot = ET.fromstring(text)
    names = chain.get_joint_parameter_names()
    print(f"{robot.get('name')}: {len(robot.findall('link'))} links, "
          f"{len(names)} joints to {args.end}: {' '.join(names)}")

    targets = chain.forward_kinematics(random_positions(chain, args.problems))
    x, y, z = targets.get_matrix()[0, :3, 3].tolist()
    print(f"the first target is at ({x:.4f}, {y:.4f}, {z:.4f}) m")

    s = new_solver(chain, args.retries).solve(targets)
    reached, attempts = s.converged_any.sum().item(), s.converged.sum().item()
    print(f"{s.iterations} iterations: {reached} of {s.converged_any.numel()} targets reached, "
          f"by {attempts} of {s.converged.numel()} attempts")
    if attempts > 0:
        pos, rot = s.err_pos[s.converged].mean().item(), s.err_rot[s.converged].mean().item()
        print(f"those that reached it are off by {1e3 * pos:.4f} mm and {1e3 * rot:.4f} mrad on average")
    first = s.solutions[0, s.converged[0].int().argmax()]
    print("positions for the first target:" + "".join(f" {v:.4f}" for v in first.tolist()))


if __name__ == "__main__":
    main()
