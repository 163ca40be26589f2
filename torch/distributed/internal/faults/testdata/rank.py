"""A Python rank in the training of trainer_test.go. hosts_linux_test.go starts it."""

import hashlib
import json
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F

torch.set_num_threads(1)
settings = json.loads(os.environ["GOTORCH_FAULTS_RANK"])
dist.init_process_group("gloo")
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
net = torch.nn.parallel.DistributedDataParallel(model)
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for step in range(settings["Steps"]):
    shift = step * 7 + dist.get_rank() * 13
    x = (torch.arange(16 * 32).float().view(16, 32) + shift).sin()
    y = (torch.arange(16) + shift).remainder(10)
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()
    print("step", step + 1, flush=True)
digest = hashlib.sha256()
for p in model.parameters():
    digest.update(p.detach().flatten().view(torch.uint8).numpy().tobytes())
dist.destroy_process_group()
print("outcome", json.dumps({"Step": settings["Steps"], "Digest": digest.hexdigest()}))
