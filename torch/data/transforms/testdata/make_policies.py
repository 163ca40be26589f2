"""Writes policies.json: the pairs from which torchvision's AutoAugment chooses. For each policy
it has lines of two augmentations with their probabilities and strengths; 0 means no strength.

Run with torchvision 0.26 from the root of the repository.
"""

import json
import os

from torchvision.transforms import v2 as T

pairs = {
    policy.value: [
        " ".join(f"{name} {p} {0 if strength is None else strength}" for name, p, strength in pair)
        for pair in T.AutoAugment(policy)._get_policies(policy)
    ]
    for policy in T.AutoAugmentPolicy
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "policies.json"), "w") as f:
    json.dump(pairs, f, indent=0)
    f.write("\n")
