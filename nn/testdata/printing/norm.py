from torch import nn

ATTRIBUTES = True

MODULES = {
    "BatchNorm1d": nn.BatchNorm1d(2),
    "BatchNorm2d": nn.BatchNorm2d(2),
    "BatchNorm2d/all": nn.BatchNorm2d(2, eps=0.001, momentum=None, affine=False),
    "BatchNorm2d/untracked": nn.BatchNorm2d(2, momentum=0.0, track_running_stats=False),
    "BatchNorm3d": nn.BatchNorm3d(2),
    "InstanceNorm1d": nn.InstanceNorm1d(2),
    "InstanceNorm2d": nn.InstanceNorm2d(2),
    "InstanceNorm2d/all": nn.InstanceNorm2d(2, eps=0.001, momentum=None, affine=True, track_running_stats=True),
    "InstanceNorm3d": nn.InstanceNorm3d(2),
    "LocalResponseNorm": nn.LocalResponseNorm(2),
    "LocalResponseNorm/all": nn.LocalResponseNorm(3, alpha=0.5, beta=1.0, k=2.0),
    "CrossMapLRN2d": nn.CrossMapLRN2d(2),
    "CrossMapLRN2d/all": nn.CrossMapLRN2d(3, alpha=0.5, beta=1.0, k=2.0),
    "LayerNorm": nn.LayerNorm([3]),
    "LayerNorm/nobias": nn.LayerNorm([4, 3], eps=1e-6, bias=False),
    "LayerNorm/plain": nn.LayerNorm([3], elementwise_affine=False),
    "RMSNorm": nn.RMSNorm([3]),
    "RMSNorm/all": nn.RMSNorm([3], eps=0.0, elementwise_affine=False),
    "GroupNorm": nn.GroupNorm(2, 4),
    "GroupNorm/all": nn.GroupNorm(2, 4, eps=100000.0, affine=False),
}
