"""The program of main.go in Python: it learns which word comes next.

    go run ./gpt -save godoc.txt
    python reference.py --data godoc.txt
"""

import argparse
import copy
import math
import os
import time
from collections import Counter

import torch
import torch.nn.functional as F
from torch import nn


def split(lines):
    return [word for line in lines for word in line.split() + ["<eos>"]]


def read_lines(path):
    with open(path, encoding="utf-8", newline="\n") as f:
        return list(f)


def read_text(path):
    lines = read_lines(path)
    first, second = len(lines) * 9 // 10, len(lines) * 95 // 100
    parts = [split(lines[:first]), split(lines[first:second]), split(lines[second:])]
    seen = Counter(parts[0])
    return [[word if seen[word] >= 3 else "<unk>" for word in part] for part in parts]


def read_corpus(path):
    if os.path.isdir(path):
        parts = [split(read_lines(os.path.join(path, name))) for name in ("train.txt", "valid.txt", "test.txt")]
    else:
        parts = read_text(path)
    number = {}
    ids = [torch.tensor([number.setdefault(word, len(number)) for word in part]) for part in parts]
    return list(number), ids


def columns(ids, n):
    rows = ids.numel() // n
    return ids[:rows * n].view(n, rows).t().contiguous()


def draw(encoder, decoder, tied):
    if tied:
        decoder.weight = encoder.weight
    nn.init.uniform_(encoder.weight, -0.1, 0.1)
    nn.init.zeros_(decoder.bias)
    nn.init.uniform_(decoder.weight, -0.1, 0.1)


class RNNModel(nn.Module):
    def __init__(self, c, words):
        super().__init__()
        self.drop = nn.Dropout(c.dropout)
        self.encoder = nn.Embedding(words, c.emsize)
        if c.model in ("LSTM", "GRU"):
            self.rnn = getattr(nn, c.model)(c.emsize, c.nhid, c.nlayers, dropout=c.dropout)
        else:
            kind = {"RNN_TANH": "tanh", "RNN_RELU": "relu"}[c.model]
            self.rnn = nn.RNN(c.emsize, c.nhid, c.nlayers, nonlinearity=kind, dropout=c.dropout)
        self.decoder = nn.Linear(c.nhid, words)
        draw(self.encoder, self.decoder, c.tied)
        self.shape = c.nlayers, c.nhid

    def forward(self, ids, hidden):
        x, hidden = self.rnn(self.drop(self.encoder(ids)), hidden)
        x = self.decoder(self.drop(x))
        return F.log_softmax(x.flatten(0, 1), 1), hidden

    def start(self, texts):
        layers, nhid = self.shape
        if isinstance(self.rnn, nn.LSTM):
            return torch.zeros(layers, texts, nhid), torch.zeros(layers, texts, nhid)
        return torch.zeros(layers, texts, nhid)


class TransformerModel(nn.Transformer):
    def __init__(self, c, words):
        super().__init__(c.emsize, c.nhead, dim_feedforward=c.nhid, num_encoder_layers=c.nlayers,
                         num_decoder_layers=0, dropout=c.dropout)
        del self.decoder
        self.drop = nn.Dropout(c.dropout)
        at = torch.arange(5000, dtype=torch.float32).unsqueeze(1)
        rate = (torch.arange(0, c.emsize, 2, dtype=torch.float32) * (-math.log(10000) / c.emsize)).exp()
        angle = at * rate
        self.register_buffer("position", torch.stack([angle.sin(), angle.cos()], 2).view(5000, 1, c.emsize))
        self.input_emb = nn.Embedding(words, c.emsize)
        self.decoder = nn.Linear(c.emsize, words)
        draw(self.input_emb, self.decoder, c.tied)

    def forward(self, ids, hidden):
        n = len(ids)
        mask = torch.ones(n, n).tril().log()
        x = self.input_emb(ids) * math.sqrt(self.d_model)
        x = self.drop(x + self.position[:n])
        x = self.decoder(self.encoder(x, mask=mask))
        return F.log_softmax(x.flatten(0, 1), 1), None

    def start(self, texts):
        return None


def detached(hidden):
    if isinstance(hidden, tuple):
        return tuple(h.detach() for h in hidden)
    return hidden if hidden is None else hidden.detach()


def rows(ids, start, bptt):
    n = min(bptt, len(ids) - 1 - start)
    return ids[start:start + n], ids[start + 1:start + 1 + n].flatten()


@torch.no_grad()
def evaluate(model, text, bptt):
    ids = columns(text, 10)
    model.eval()
    hidden, total = model.start(10), 0.0
    for start in range(0, len(ids) - 1, bptt):
        x, y = rows(ids, start, bptt)
        scores, hidden = model(x, hidden)
        total += len(x) * F.nll_loss(scores, y).item()
    model.train()
    return total / (len(ids) - 1)


@torch.no_grad()
def generate(model, words, n, temperature):
    model.eval()
    hidden = model.start(1)
    ids = torch.randint(len(words), (1, 1))
    for i in range(n):
        scores, hidden = model(ids, hidden)
        chosen = scores[-1].div(temperature).exp().multinomial(1)
        print(words[chosen.item()], end="\n" if i % 20 == 19 or i == n - 1 else " ")
        ids = torch.cat([ids, chosen.view(1, 1)]) if hidden is None else chosen.view(1, 1)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True, help="a folder with train.txt, valid.txt and test.txt, or a text")
    p.add_argument("--model", default="LSTM", choices=["RNN_TANH", "RNN_RELU", "LSTM", "GRU", "Transformer"])
    p.add_argument("--emsize", type=int, default=200)
    p.add_argument("--nhid", type=int, default=200)
    p.add_argument("--nlayers", type=int, default=2)
    p.add_argument("--nhead", type=int, default=2)
    p.add_argument("--lr", type=float, default=20)
    p.add_argument("--clip", type=float, default=0.25)
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--batch-size", type=int, default=20)
    p.add_argument("--bptt", type=int, default=35)
    p.add_argument("--dropout", type=float, default=0.2)
    p.add_argument("--tied", action="store_true")
    p.add_argument("--use-optimizer", action="store_true")
    p.add_argument("--seed", type=int, default=1111)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--log-interval", type=int, default=200)
    p.add_argument("--save")
    p.add_argument("--load")
    p.add_argument("--generate", type=int, default=100)
    p.add_argument("--temperature", type=float, default=1.0)
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    c = p.parse_args()

    torch.set_num_threads(c.threads)
    torch.manual_seed(c.seed)
    words, (train, valid, test) = read_corpus(c.data)
    model = (TransformerModel if c.model == "Transformer" else RNNModel)(c, len(words))
    opt = torch.optim.AdamW(model.parameters(), lr=c.lr) if c.use_optimizer else None
    print(f"{train.numel()} words, {len(words)} different")
    losses, log, lr, best, best_loss = [], [], c.lr, None, math.inf
    ids = columns(train, c.batch_size)
    if c.load:
        model.load_state_dict(torch.load(c.load))
        c.epochs = 0
    for epoch in range(1, c.epochs + 1):
        begun = since = time.perf_counter()
        hidden, total = model.start(c.batch_size), 0.0
        starts = range(0, len(ids) - 1, c.bptt)
        for i, start in enumerate(starts, 1):
            x, y = rows(ids, start, c.bptt)
            model.zero_grad()
            scores, hidden = model(x, detached(hidden))
            loss = F.nll_loss(scores, y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), c.clip)
            if opt:
                opt.step()
            else:
                for p in model.parameters():
                    p.data.add_(p.grad, alpha=-lr)
            losses.append(loss.item())
            log.append(f"{time.time():.6f} {losses[-1]:.9g}\n")
            total += losses[-1]
            if i % c.log_interval == 0:
                now, mean = time.perf_counter(), total / c.log_interval
                print(f"epoch {epoch}, {i}/{len(starts)} steps: lr {lr:.2f}, "
                      f"{(now - since) * 1e3 / c.log_interval:.1f} ms a step, "
                      f"loss {mean:.4f}, perplexity {math.exp(mean):.2f}")
                since, total = now, 0.0
            if len(losses) == c.steps:
                break
        loss = evaluate(model, valid, c.bptt)
        print(f"epoch {epoch}: {time.perf_counter() - begun:.1f} s, "
              f"validation loss {loss:.4f}, perplexity {math.exp(loss):.2f}")
        if loss < best_loss:
            best_loss, best = loss, copy.deepcopy(model.state_dict())
        else:
            lr /= 4
        if len(losses) == c.steps:
            break
    if best:
        model.load_state_dict(best)
    loss = evaluate(model, test, c.bptt)
    print(f"test: loss {loss:.4f}, perplexity {math.exp(loss):.2f}")
    if c.save:
        torch.save(model.state_dict(), c.save)
    generate(model, words, c.generate, c.temperature)
    if c.losses:
        with open(c.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
