"""The program of main.go in Python: a transformer that translates sentences.

    python reference.py --epochs 10
"""

import argparse
import math
import re
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

UNK, PAD, BOS, EOS = range(4)
SPECIAL = ["<unk>", "<pad>", "<bos>", "<eos>"]
GERMAN_LOW = ("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
              "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn").split()
GERMAN_TENS = "- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
ENGLISH_LOW = ("zero one two three four five six seven eight nine ten eleven twelve "
               "thirteen fourteen fifteen sixteen seventeen eighteen nineteen").split()
ENGLISH_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


def after(words, rest, spell):
    return words if rest == 0 else f"{words} {spell(rest)}"


def german(n):
    def before(n):
        return german(n).removesuffix("s") if n % 100 == 1 else german(n)

    if n >= 1000:
        return after(before(n // 1000) + " tausend", n % 1000, german)
    if n >= 100:
        return after(before(n // 100) + " hundert", n % 100, german)
    if n >= 20:
        return f"{before(n % 10)} und {GERMAN_TENS[n // 10]}" if n % 10 else GERMAN_TENS[n // 10]
    return GERMAN_LOW[n]


def english(n):
    if n >= 1000:
        return after(english(n // 1000) + " thousand", n % 1000, english)
    if n >= 100:
        return after(english(n // 100) + " hundred", n % 100, english)
    return after(ENGLISH_TENS[n // 10], n % 10, english) if n >= 20 else ENGLISH_LOW[n]


def made_up(n):
    drawn = torch.randint(0, 1 << 30, (n, 2), generator=torch.Generator().manual_seed(1)).tolist()
    numbers = [a % 10 ** (1 + b % 6) for a, b in drawn]
    return [(german(n), english(n)) for n in numbers]


def split(sentence):
    return re.findall(r"\w+|[^\w\s]", sentence)


class Corpus:
    def __init__(self, args):
        if args.data:
            with open(args.data, encoding="utf-8") as f:
                pairs = [tuple(line.rstrip("\n").split("\t")) for line in f]
        else:
            pairs = made_up(args.examples)
        n = len(pairs) * 9 // 10
        self.words = [list(SPECIAL), list(SPECIAL)]
        self.number = [{w: i for i, w in enumerate(SPECIAL)} for _ in range(2)]
        for pair in pairs[:n]:
            for number, words, sentence in zip(self.number, self.words, pair):
                for word in split(sentence):
                    if word not in number:
                        number[word] = len(words)
                        words.append(word)
        self.shown = pairs[n:]
        self.train, self.valid = ([[self.ids(k, s) for k, s in enumerate(p)] for p in part]
                                  for part in (pairs[:n], pairs[n:]))

    def ids(self, side, sentence):
        return [BOS, *(self.number[side].get(word, UNK) for word in split(sentence)), EOS]

    def translate(self, model, sentence):
        source = torch.tensor(self.ids(0, sentence)).unsqueeze(1)
        return " ".join(self.words[1][i] for i in model.greedy(source, len(source) + 10) if i > EOS)


def collate(examples):
    return tuple(pad_sequence([torch.tensor(e[k]) for e in examples], padding_value=PAD) for k in (0, 1))


def behind(n):
    return torch.ones(n, n, dtype=torch.bool).triu(1)


class Translator(nn.Module):
    def __init__(self, args, source_words, target_words):
        super().__init__()
        size = args.embed_size
        self.src_embedding = nn.Embedding(source_words, size)
        self.tgt_embedding = nn.Embedding(target_words, size)
        at = torch.arange(5000, dtype=torch.float32).unsqueeze(1)
        rate = (torch.arange(0, size, 2, dtype=torch.float32) * (-math.log(10000) / size)).exp()
        angle = at * rate
        self.register_buffer("position", torch.stack([angle.sin(), angle.cos()], 2).view(5000, 1, size))
        self.dropout = nn.Dropout(args.dropout)
        self.transformer = nn.Transformer(size, args.attn_heads, args.enc_layers, args.dec_layers,
                                          args.dim_feedforward, args.dropout)
        self.ff = nn.Linear(size, target_words)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def place(self, table, words):
        return self.dropout(table(words) + self.position[:len(words)])

    def forward(self, source, target):
        hidden = (source == PAD).T
        out = self.transformer(
            self.place(self.src_embedding, source), self.place(self.tgt_embedding, target),
            tgt_mask=behind(len(target)),
            src_key_padding_mask=hidden, tgt_key_padding_mask=(target == PAD).T, memory_key_padding_mask=hidden)
        return self.ff(out)

    def loss(self, source, target):
        scores = self(source, target[:-1])
        return F.cross_entropy(scores.flatten(0, 1), target[1:].flatten(0, 1), ignore_index=PAD)

    @torch.no_grad()
    def validate(self, loader):
        self.eval()
        mean = sum(self.loss(source, target).item() / len(loader) for source, target in loader)
        self.train()
        return mean

    @torch.no_grad()
    def greedy(self, source, most):
        words = [BOS]
        memory = self.transformer.encoder(self.place(self.src_embedding, source))
        while len(words) <= most and words[-1] != EOS:
            target = torch.tensor(words).unsqueeze(1)
            out = self.transformer.decoder(self.place(self.tgt_embedding, target), memory, tgt_mask=behind(len(target)))
            words.append(self.ff(out[-1]).argmax().item())
        return words


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", help="file with a sentence, a tab and its translation in each line")
    p.add_argument("--examples", type=int, default=20000)
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--batch", type=int, default=128)
    p.add_argument("--attn-heads", type=int, default=8)
    p.add_argument("--enc-layers", type=int, default=2)
    p.add_argument("--dec-layers", type=int, default=2)
    p.add_argument("--embed-size", type=int, default=128)
    p.add_argument("--dim-feedforward", type=int, default=256)
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--save", help="save the weights of the best validation in this file")
    p.add_argument("--load", help="read the weights from this file, and skip the training")
    p.add_argument("--translate", help="translate this sentence at the end")
    p.add_argument("--show", type=int, default=5)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps; -1: after the epochs")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)

    text = Corpus(args)
    model = Translator(args, *map(len, text.words))
    if args.load:
        args.epochs = 0
        model.load_state_dict(torch.load(args.load))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr, betas=(0.9, 0.98), eps=1e-9)
    loader = DataLoader(text.train, args.batch, shuffle=True, collate_fn=collate)
    valid = DataLoader(text.valid, args.batch, collate_fn=collate)
    print(f"{len(text.train)} pairs, {len(text.valid)} for validation, "
          f"{len(text.words[0])} and {len(text.words[1])} words")
    log, best = [], 1e6
    for epoch in range(1, args.epochs + 1):
        begun, total, steps = time.perf_counter(), 0.0, 0
        for source, target in loader:
            opt.zero_grad()
            loss = model.loss(source, target)
            loss.backward()
            opt.step()
            log.append(f"{time.time():.6f} {loss.item():.9g}\n")
            total, steps = total + loss.item(), steps + 1
            if len(log) == args.steps:
                break
        took, loss = time.perf_counter() - begun, model.validate(valid)
        print(f"epoch {epoch}: {took:.1f} s, loss {total / steps:.4f}, validation {loss:.4f}")
        if loss < best and args.save:
            torch.save(model.state_dict(), args.save)
        best = min(best, loss)
        if len(log) == args.steps:
            break
    model.eval()
    for source, target in text.shown[:args.show]:
        print(f"{source}: {text.translate(model, source)} ({target})")
    if args.translate:
        print(f"{args.translate}: {text.translate(model, args.translate)}")
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
