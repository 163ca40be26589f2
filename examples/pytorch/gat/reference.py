"""The program of main.go in Python: a graph attention network over papers that cite each other.

    python reference.py --epochs 100
"""

import argparse
import os
import time

import torch
import torch.nn.functional as F
from torch import nn

SUBJECTS, WORDS = 7, 1433


def words_of(labels, g):
    topic = torch.randint(0, SUBJECTS, (WORDS,), generator=g)
    same = labels.unsqueeze(1) == topic
    drawn = torch.rand(len(labels), WORDS, generator=g)
    return torch.where(same, drawn < 0.04, drawn < 0.01)


def made_up(n):
    g = torch.Generator().manual_seed(1)
    labels = torch.randint(0, SUBJECTS, (n,), generator=g)
    features = words_of(labels, g).float()
    source = torch.randint(0, n, (2 * n,), generator=g)
    count = labels.bincount(minlength=SUBJECTS)
    first = count.cumsum(0) - count
    subject = labels[source]
    place = torch.randint(0, 1 << 30, (2 * n,), generator=g) % count[subject]
    near = labels.argsort(stable=True)[first[subject] + place]
    far = torch.randint(0, n, (2 * n,), generator=g)
    same = torch.rand(2 * n, generator=g) < 0.8
    return features, labels, torch.stack([source, torch.where(same, near, far)])


def read(folder):
    with open(os.path.join(folder, "cora.content")) as f:
        papers = [line.split() for line in f]
    with open(os.path.join(folder, "cora.cites")) as f:
        cites = [line.split() for line in f]
    number = {p[0]: i for i, p in enumerate(papers)}
    subject = {s: i for i, s in enumerate(sorted({p[-1] for p in papers}))}
    features = torch.tensor([[float(w) for w in p[1:-1]] for p in papers])
    return (features, torch.tensor([subject[p[-1]] for p in papers]),
            torch.tensor([[number[a], number[b]] for a, b in cites]).T)


def load(args):
    features, labels, edges = read(args.data) if args.data else made_up(args.papers)
    return features.div_(features.sum(1, keepdim=True).clamp(min=1)), labels, edges


def adjacency(edges, n):
    following = torch.eye(n, dtype=torch.bool)
    following[edges[0], edges[1]] = True
    return following


class GraphAttention(nn.Module):
    def __init__(self, args, inputs, outputs, heads, concat):
        super().__init__()
        self.heads, self.concat, self.dropout = heads, concat, args.dropout_p
        self.outputs = outputs // heads if concat else outputs
        self.W = nn.Parameter(nn.init.xavier_normal_(torch.empty(inputs, self.outputs * heads)))
        self.a = nn.Parameter(nn.init.xavier_normal_(torch.empty(heads, 2 * self.outputs, 1)))

    def forward(self, x, following):
        n = len(x)
        h = F.dropout(torch.mm(x, self.W), self.dropout, self.training)
        h = h.view(n, self.heads, self.outputs).permute(1, 0, 2)
        source, target = h @ self.a[:, :self.outputs], h @ self.a[:, self.outputs:]
        e = torch.where(following, F.leaky_relu(source + target.mT, 0.2), -9e16)
        attention = F.dropout(F.softmax(e, -1), self.dropout, self.training)
        y = attention @ h
        return y.permute(1, 0, 2).flatten(1, 2) if self.concat else y.mean(0)


class GAT(nn.Module):
    def __init__(self, args, inputs, outputs):
        super().__init__()
        self.gat1 = GraphAttention(args, inputs, args.hidden_dim, args.num_heads, args.concat_heads)
        self.gat2 = GraphAttention(args, args.hidden_dim, outputs, 1, False)

    def forward(self, x, following):
        return F.log_softmax(self.gat2(F.elu(self.gat1(x, following)), following), 1)


@torch.no_grad()
def score(model, x, following, labels, chosen):
    model.eval()
    out, want = model(x, following)[chosen], labels[chosen]
    model.train()
    return F.nll_loss(out, want).item(), (out.argmax(1) == want).float().mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="folder with cora.content and cora.cites; without it papers are generated")
    p.add_argument("--papers", type=int, default=1000)
    p.add_argument("--epochs", type=int, default=300)
    p.add_argument("--lr", type=float, default=0.005)
    p.add_argument("--l2", type=float, default=5e-4)
    p.add_argument("--dropout-p", type=float, default=0.6)
    p.add_argument("--hidden-dim", type=int, default=64)
    p.add_argument("--val-every", type=int, default=20)
    p.add_argument("--num-heads", type=int, default=8)
    p.add_argument("--concat-heads", action="store_true")
    p.add_argument("--seed", type=int, default=13)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    features, labels, edges = load(args)
    n, subjects = len(labels), int(labels.max()) + 1
    x, following = features, adjacency(edges, n)
    test, validation, learned = torch.randperm(n).tensor_split([n * 1200 // 2708, n * 1600 // 2708])
    model = GAT(args, x.shape[1], subjects)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.l2)
    log = []
    for epoch in range(1, args.epochs + 1):
        opt.zero_grad()
        loss = F.nll_loss(model(x, following)[learned], labels[learned])
        loss.backward()
        opt.step()
        log.append(f"{time.time():.6f} {loss.item():.9g}\n")
        if epoch % args.val_every == 0:
            loss, accuracy = score(model, x, following, labels, learned)
            loss_val, accuracy_val = score(model, x, following, labels, validation)
            print(f"epoch {epoch}: loss {loss:.4f}, accuracy {accuracy:.4f}; "
                  f"validation {loss_val:.4f}, {accuracy_val:.4f}")
        if len(log) == args.steps:
            break
    loss, accuracy = score(model, x, following, labels, test)
    print(f"test: loss {loss:.4f}, accuracy {accuracy:.4f}")
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
