"""The Python side of the data.transform.* rows: torchvision's transforms of a uint8 image."""

import time

import torch


def timed(make, height, width, iterations):
    from torchvision.transforms import v2  # Imported here, because this import takes a second.

    torch.manual_seed(1)
    image, transform = torch.randint(0, 256, (3, height, width), dtype=torch.uint8), make(v2)
    for _ in range(iterations // 20 + 1):
        transform(image)
    start = time.perf_counter_ns()
    for _ in range(iterations):
        transform(image)
    return time.perf_counter_ns() - start


def resize(iterations):
    return timed(lambda T: T.Resize((224, 224)), 480, 640, iterations)


def jitter(iterations):
    return timed(lambda T: T.ColorJitter(0.4, 0.4, 0.4, 0.1), 224, 224, iterations)


def train(iterations):
    return timed(
        lambda T: T.Compose(
            [
                T.RandomResizedCrop(224),
                T.RandomHorizontalFlip(),
                T.ConvertImageDtype(torch.float32),
                T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
            ]
        ),
        480,
        640,
        iterations,
    )
