"""The program of main.go in Python: whether a sentence follows from another.

    python reference.py --steps 200
"""

import argparse
import json
import re
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD = 1
PEOPLE = [("man", "person"), ("woman", "person"), ("boy", "child"), ("girl", "child"), ("dog", "animal"),
          ("cat", "animal")]
ACTS = [("sleeps", "rests"), ("sits", "rests"), ("runs", "moves"), ("walks", "moves"), ("eats", "has something"),
        ("drinks", "has something")]
PLACES = [("in the park", "outdoors"), ("on the beach", "outdoors"), ("in the kitchen", "indoors"),
          ("in the bedroom", "indoors")]
LOOKS = ["A ", "A young ", "The old "]


def made_up(n):
    pairs = []
    for r in torch.randint(0, 1 << 30, (n, 6), generator=torch.Generator().manual_seed(1)).tolist():
        who, act, place, look = PEOPLE[r[0] % 6], ACTS[r[1] % 6], PLACES[r[2] % 4], LOOKS[r[3] % 3]
        general = r[4] % 7 + 1

        def say(look, general):
            return f"{look}{who[general & 1]} {act[general >> 1 & 1]} {place[general >> 2]}."

        exact, said = say(look, 0), say(look, general)
        pairs.append([(exact, said, "entailment"), (said, exact, "neutral"),
                      (exact, say("No ", general), "contradiction")][r[5] % 3])
    return pairs


def read_pairs(path):
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    return [(p["sentence1"], p["sentence2"], p["gold_label"]) for p in lines if p["gold_label"] != "-"]


class Text:
    def __init__(self, args):
        pairs = read_pairs(args.data) if args.data else made_up(args.examples)
        n = len(pairs) * 9 // 10
        train, dev = (pairs, read_pairs(args.dev)) if args.dev else (pairs[:n], pairs[n:])
        self.number, self.labels, self.lower = {"<unk>": 0, "<pad>": PAD}, {}, not args.preserve_case
        self.train, self.dev = self.numbers(train), self.numbers(dev)

    def split(self, sentence):
        words = re.findall(r"\w+|[^\w\s]", sentence.lower() if self.lower else sentence)
        return [self.number.setdefault(word, len(self.number)) for word in words]

    def numbers(self, pairs):
        return [(self.split(p), self.split(h), self.labels.setdefault(label, len(self.labels)))
                for p, h, label in pairs]


def collate(examples):
    premises, hypotheses = (pad_sequence([torch.tensor(e[k]) for e in examples], padding_value=PAD) for k in (0, 1))
    return premises, hypotheses, torch.tensor([e[2] for e in examples])


class Classifier(nn.Module):
    def __init__(self, args, words, labels):
        super().__init__()
        self.one_way, self.plain, self.fixed = args.no_bidirectional, args.no_projection, False
        self.embed = nn.Embedding(words, args.d_embed)
        self.projection = nn.Linear(args.d_embed, args.d_proj)
        self.encoder = nn.LSTM(
            args.d_embed if self.plain else args.d_proj, args.d_hidden, args.n_layers,
            dropout=0 if args.n_layers == 1 else args.dp_ratio, bidirectional=not self.one_way)
        width = args.d_hidden * (2 if self.one_way else 4)
        layers = [m for _ in range(3) for m in (nn.Linear(width, width), nn.ReLU(), nn.Dropout(args.dp_ratio))]
        self.out = nn.Sequential(*layers, nn.Linear(width, labels))

    def encode(self, sentence):
        x = self.embed(sentence)
        if self.fixed:
            x = x.detach()
        if not self.plain:
            x = F.relu(self.projection(x))
        _, (h, _) = self.encoder(x)
        return h[-1] if self.one_way else h[-2:].transpose(0, 1).flatten(1, 2)

    def forward(self, premise, hypothesis):
        return self.out(torch.cat([self.encode(premise), self.encode(hypothesis)], 1))

    @torch.no_grad()
    def score(self, dev):
        self.eval()
        right, seen, loss = 0, 0, 0.0
        for premise, hypothesis, label in dev:
            answer = self(premise, hypothesis)
            right += (answer.argmax(1) == label).sum().item()
            loss += F.cross_entropy(answer, label).item()
            seen += len(label)
        self.train()
        return loss / len(dev), right / seen

    def know(self, path, number, trained):
        with open(path, encoding="utf-8") as f:
            for fields in map(str.split, f):
                if fields[0] in number:
                    self.embed.weight.data[number[fields[0]]] = torch.tensor([float(v) for v in fields[1:]])
        self.fixed = not trained


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="file of sentences in SNLI's format; without it pairs are generated")
    p.add_argument("--dev", help="file of pairs for validation; default: the last tenth of the pairs")
    p.add_argument("--examples", type=int, default=4000)
    p.add_argument("--epochs", type=int, default=50)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--d-embed", type=int, default=100)
    p.add_argument("--d-proj", type=int, default=300)
    p.add_argument("--d-hidden", type=int, default=300)
    p.add_argument("--n-layers", type=int, default=1)
    p.add_argument("--dp-ratio", type=float, default=0.2)
    p.add_argument("--no-bidirectional", action="store_true")
    p.add_argument("--no-projection", action="store_true")
    p.add_argument("--train-embed", action="store_true")
    p.add_argument("--preserve-case", action="store_true")
    p.add_argument("--word-vectors", help="file with a word and its features in each line, as GloVe's")
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--log-every", type=int, default=50)
    p.add_argument("--dev-every", type=int, default=1000)
    p.add_argument("--save", help="save the weights of the best validation in this file")
    p.add_argument("--resume", help="start from the weights in this file")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    text = Text(args)
    model = Classifier(args, len(text.number), len(text.labels))
    if args.word_vectors:
        model.know(args.word_vectors, text.number, args.train_embed)
    if args.resume:
        model.load_state_dict(torch.load(args.resume))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    loader = DataLoader(text.train, args.batch_size, shuffle=True, collate_fn=collate)
    dev = DataLoader(text.dev, args.batch_size, collate_fn=collate)
    print(f"{len(text.train)} pairs, {len(text.dev)} for validation, {len(text.number)} words")
    log, best, begun = [], -1.0, time.perf_counter()
    for epoch in range(1, args.epochs + 1):
        right, seen = 0, 0
        for premise, hypothesis, label in loader:
            opt.zero_grad()
            answer = model(premise, hypothesis)
            right += (answer.argmax(1) == label).sum().item()
            seen += len(label)
            loss = F.cross_entropy(answer, label)
            loss.backward()
            opt.step()
            log.append(f"{time.time():.6f} {loss.item():.9g}\n")
            steps = len(log)
            line = (f"{time.perf_counter() - begun:.0f} s, epoch {epoch}, step {steps}: "
                    f"loss {loss.item():.4f}, accuracy {right / seen:.4f}")
            if steps % args.dev_every == 0 or steps == args.steps:
                dev_loss, accuracy = model.score(dev)
                print(f"{line}; validation {dev_loss:.4f}, {accuracy:.4f}")
                if accuracy > best and args.save:
                    torch.save(model.state_dict(), args.save)
                best = max(best, accuracy)
            elif steps % args.log_every == 0:
                print(line)
            if steps == args.steps:
                break
        if len(log) == args.steps:
            break
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
