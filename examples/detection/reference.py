"""The program of main.go in Python: the same training, which prints the same losses.

    python reference.py --epochs 8
"""

import argparse
import time
import warnings

import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.data import DataLoader, Dataset
from torchvision import tv_tensors
from torchvision.models.detection import ssdlite320_mobilenet_v3_large
from torchvision.ops import box_iou
from torchvision.transforms import v2

SIZE = 128  # pixels on each side of an image
CLASSES = 4  # with the background


class Shapes(Dataset):
    """Images of circles, squares and triangles, drawn when they are needed."""

    def __init__(self, seed, n, transform):
        self.seed, self.n, self.transform = seed, n, transform

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return self.transform(draw(1_000_003 * self.seed + i))


def draw(seed):
    """An image with one to four shapes, each in a quarter of its own."""
    g = torch.Generator().manual_seed(seed)

    def below(lo, hi, n=1):
        return torch.randint(lo, hi, (n,), generator=g)

    image = torch.randint(0, 48, (3, SIZE, SIZE), generator=g) + below(0, 100, 3).reshape(3, 1, 1)
    rows, columns = torch.arange(SIZE).reshape(-1, 1), torch.arange(SIZE)
    quarters = torch.randperm(4, generator=g).tolist()
    boxes, labels = [], []
    for quarter in quarters[:below(1, 5).item()]:
        label, r = below(1, CLASSES).item(), below(11, 29).item()
        x = SIZE // 2 * (quarter % 2) + below(r, SIZE // 2 - r).item()
        y = SIZE // 2 * (quarter // 2) + below(r, SIZE // 2 - r).item()
        dx, dy = (columns - x).abs(), rows - y
        inside = {
            1: lambda: dx * dx + dy * dy <= r * r,
            2: lambda: (dx <= r) & (dy.abs() <= r),
            3: lambda: (2 * dx <= dy + r) & (dy <= r),
        }[label]()
        image = torch.where(inside, below(130, 256, 3).reshape(3, 1, 1), image)
        boxes.append([x - r, y - r, x + r + 1, y + r + 1])
        labels.append(label)
    return {
        "image": tv_tensors.Image(image.to(torch.uint8)),
        "boxes": tv_tensors.BoundingBoxes(torch.tensor(boxes, dtype=torch.float32), format="XYXY",
                                          canvas_size=(SIZE, SIZE)),
        "labels": torch.tensor(labels),
    }


def new_model():
    model = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=CLASSES,
                                          norm_layer=torch.nn.BatchNorm2d)
    model.transform.fixed_size = (SIZE, SIZE)
    return model


def forward(model, samples, device):
    images = [s["image"].to(device) for s in samples]
    targets = [{"boxes": s["boxes"].to(device), "labels": s["labels"].to(device)} for s in samples]
    return model(images, targets)


def average_precision(found, wanted, threshold):
    """COCO's precision, averaged over recalls, for a class. found and wanted are lists by image."""
    hits = []
    for f, w in zip(found, wanted):
        overlaps, taken = box_iou(f["boxes"], w), [False] * len(w)
        for row, score in zip(overlaps, f["scores"]):
            free = [(iou.item(), -j) for j, iou in enumerate(row) if not taken[j] and iou >= threshold]
            if free:
                taken[-max(free)[1]] = True
            hits.append((score.item(), bool(free)))
    if not hits:
        return 0.0
    hits.sort(key=lambda h: -h[0])
    right = torch.tensor([h[1] for h in hits]).cumsum(0).double()
    precision = (right / torch.arange(1, len(hits) + 1)).flip(0).cummax(0)[0].flip(0)
    recall = right / max(1, sum(len(w) for w in wanted))
    at = torch.searchsorted(recall, torch.linspace(0, 1, 101, dtype=torch.float64))
    return torch.cat([precision, torch.zeros(1)])[at].mean().item()


def validate(model, loader, device):
    """The mean average precision, and that at an overlap of 0.5."""
    model.eval()
    found, wanted = [], []
    with torch.no_grad():
        for samples in loader:
            found += [{k: v.cpu() for k, v in d.items()} for d in forward(model, samples, device)]
            wanted += samples
    model.train()
    table = []
    for label in range(1, CLASSES):
        f = [{k: v[d["labels"] == label][:100] for k, v in d.items()} for d in found]
        w = [s["boxes"][s["labels"] == label] for s in wanted]
        table.append([average_precision(f, w, 0.5 + 0.05 * i) for i in range(10)])
    table = torch.tensor(table)
    return table.mean().item(), table[:, 0].mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--device", default="cpu")
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--images", type=int, default=512, help="training images of an epoch")
    p.add_argument("--tests", type=int, default=64, help="images for validation")
    p.add_argument("--batch", type=int, default=8)
    p.add_argument("--warmup", type=int, default=20)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--clip", type=float, default=5)
    p.add_argument("--steps", type=int, default=-1, help="stop after this number of steps")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--threads", type=int, default=torch.get_num_threads())
    p.add_argument("--amp", action="store_true", help="mixed precision")
    p.add_argument("--losses", help="write seconds and loss of each step to this file")
    args = p.parse_args()

    warnings.filterwarnings("ignore", "The size of the model")
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    convert = v2.ToDtype(torch.float32, scale=True)
    train = Shapes(1, args.images, v2.Compose([v2.RandomHorizontalFlip(), convert]))
    loader = DataLoader(train, args.batch, shuffle=True, drop_last=True, collate_fn=list)
    tests = DataLoader(Shapes(2, args.tests, convert), args.batch, collate_fn=list)
    model = new_model().to(args.device)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, fused=True)
    steps = args.epochs * len(loader)
    warmup = min(args.warmup, steps - 1)
    sched = SequentialLR(
        opt, [LinearLR(opt, start_factor=0.01, total_iters=warmup), CosineAnnealingLR(opt, steps - warmup)],
        milestones=[warmup])

    kind = torch.device(args.device).type
    scaler = torch.amp.GradScaler(kind, enabled=args.amp and kind == "cuda")
    losses, log, begun = [], [], time.perf_counter()
    for epoch in range(args.epochs):
        first = len(losses)
        for samples in loader:
            with torch.autocast(kind, enabled=args.amp):
                parts = forward(model, samples, args.device)
                loss = sum(parts.values())
            scaler.scale(loss).backward()
            scaler.unscale_(opt)
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()
            sched.step()
            losses.append(loss.item())
            log.append(f"{time.perf_counter() - begun:.6f} {losses[-1]:.9g}\n")
            if len(losses) == args.steps:
                break
        ap, ap50 = validate(model, tests, args.device)
        mean = sum(losses[first:]) / len(losses[first:])
        print(f"epoch {epoch + 1}: loss {mean:.4f}, mAP {ap:.3f}, AP50 {ap50:.3f}", flush=True)
        if len(losses) == args.steps:
            break
    if args.losses:
        with open(args.losses, "w") as f:
            f.writelines(log)


if __name__ == "__main__":
    main()
