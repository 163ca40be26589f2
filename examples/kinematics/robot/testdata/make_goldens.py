"""Writes goldens.json: the results of pytorch-kinematics 0.10.0 for the robots of ../../robots.

    pip install pytorch-kinematics==0.10.0
    python make_goldens.py

"float32" uses the package unchanged. In float64 the package still rounds axes and the matrices
between links to float32. "float64" replaces them by exact values, so that iterations can be
compared closely.
"""

import json
import math
import os
import xml.etree.ElementTree as ET

import numpy as np
import pytorch_kinematics as pk
import torch

here = os.path.dirname(os.path.abspath(__file__))
torch.set_num_threads(1)


def read(name):
    with open(os.path.join(here, "..", "..", "robots", name + ".urdf")) as f:
        return f.read()


def numbers(element, name, default):
    text = element.get(name) if element is not None else None
    return [float(v) for v in (text or default).split()]


def origin(joint):
    o = joint.find("origin")
    (x, y, z), m = numbers(o, "rpy", "0 0 0"), np.eye(4)
    rx = np.array([[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]])
    ry = np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]])
    rz = np.array([[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]])
    m[:3, :3], m[:3, 3] = rz @ ry @ rx, numbers(o, "xyz", "0 0 0")
    return m


def exact(chain, text):
    """Converts a chain to float64, with the exact numbers of the file."""
    joints = {j.find("child").get("link"): j for j in ET.fromstring(text).findall("joint")}
    chain = chain.to(dtype=torch.float64)
    names = chain.get_joint_parameter_names()
    for link, i in chain.frame_to_idx.items():
        joint = joints.get(link)
        if joint is None:
            continue
        chain._static_offsets[i] = torch.from_numpy(origin(joint))
        if joint.get("name") in names:
            k = np.array(numbers(joint.find("axis"), "xyz", "1 0 0"))
            chain.axes[names.index(joint.get("name"))] = torch.from_numpy(k / np.linalg.norm(k))
    if isinstance(chain, pk.SerialChain):
        chain._serial_dof_axes = chain.axes.clone()
        low, high = chain.get_joint_limits()
        chain.low, chain.high = torch.tensor(low, dtype=torch.float64), torch.tensor(high, dtype=torch.float64)
    return chain


def flat(t):
    return t.flatten().tolist()


def serial(name, end, dtype):
    text = read(name)
    chain = pk.build_serial_chain_from_urdf(text, end)
    if dtype == torch.float64:
        chain = exact(chain, text)
    th = (torch.rand(5, chain.n_joints) * 4 - 2).to(dtype)
    j, m = chain.jacobian(th, ret_eef_pose=True)
    return {"robot": name, "end": end, "joints": chain.get_joint_parameter_names(), "dtype": str(dtype)[6:],
            "th": flat(th), "pose": flat(chain.forward_kinematics(th).get_matrix()), "jacobian": flat(j)}


def tree(name, dtype):
    """Poses of a tree. For the package, joints that mimic others are independent, so this moves them."""
    text = read(name)
    chain = pk.build_chain_from_urdf(text)
    if dtype == torch.float64:
        chain = exact(chain, text)
    mimic = {j.get("name"): j.find("mimic")
             for j in ET.fromstring(text).findall("joint") if j.find("mimic") is not None}
    names = chain.get_joint_parameter_names()
    free = [n for n in names if n not in mimic]
    th = (torch.rand(4, len(free)) * 2 - 1).to(dtype)
    at = {n: th[:, i] for i, n in enumerate(free)}
    for n, m in mimic.items():
        at[n] = at[m.get("joint")] * float(m.get("multiplier", 1)) + float(m.get("offset", 0))
    places = chain.forward_kinematics(torch.stack([at[n] for n in names], 1))
    return {"robot": name, "joints": free, "dtype": str(dtype)[6:], "th": flat(th),
            "poses": {link: flat(t.get_matrix()) for link, t in places.items()}}


def ik(name, end, **settings):
    chain = exact(pk.build_serial_chain_from_urdf(read(name), end), read(name))
    low, high = chain.low.clamp(min=-math.pi), chain.high.clamp(max=math.pi)
    n = chain.n_joints
    goal = torch.rand(4, n).double() * (high - low) + low
    initial = torch.rand(6, n).double() * (high - low) + low
    target = chain.forward_kinematics(goal)
    given = dict(settings)
    if settings.pop("line_search", False):
        settings["line_search"] = pk.BacktrackingLineSearch()
    s = pk.PseudoInverseIK(chain, retry_configs=initial, **settings).solve(target)
    return {"robot": name, "end": end, "settings": given, "target": flat(target.get_matrix()), "initial": flat(initial),
            "iterations": s.iterations, "solutions": flat(s.solutions), "err_pos": flat(s.err_pos),
            "err_rot": flat(s.err_rot),
            "converged": flat(s.converged), "converged_any": flat(s.converged_any), "remaining": flat(s.remaining)}


torch.manual_seed(1)
golden = {
    "serial": [serial(n, e, d)
               for n, e in [("arm7", "tool"), ("arm6", "tool"), ("arm7", "link_4"), ("hand", "index_middle")]
               for d in (torch.float32, torch.float64)],
    "tree": [tree(n, d) for n in ("hand", "arm6") for d in (torch.float32, torch.float64)],
    "ik": [ik("arm7", "tool"), ik("arm6", "tool"),
           ik("arm7", "tool", early_stopping_any_converged=True),
           ik("arm7", "tool", line_search=True, max_iterations=15),
           ik("arm7", "tool", early_stopping_no_improvement="all", max_iterations=20),
           ik("arm7", "tool", early_stopping_no_improvement=None, max_iterations=12, enforce_joint_limits=False),
           ik("arm6", "tool", clamp_to_limits=True, position_weight=2.0, orientation_weight=0.5, lr=0.5,
              max_iterations=30)],
}
with open(os.path.join(here, "goldens.json"), "w") as f:
    json.dump(golden, f)
    f.write("\n")
