import torch
from torch import nn

MODULES = {
    "ConvTranspose1d": nn.ConvTranspose1d(2, 4, 3),
    "ConvTranspose2d": nn.ConvTranspose2d(2, 4, 3),
    "ConvTranspose2d/all": nn.ConvTranspose2d(
        2, 4, (3, 2), stride=(2, 1), padding=(1, 0), output_padding=(1, 0), dilation=(1, 2), groups=2, bias=False),
    "ConvTranspose3d": nn.ConvTranspose3d(2, 4, 2, stride=3, output_padding=1),
    "MaxPool1d": nn.MaxPool1d(2),
    "MaxPool2d/tuples": nn.MaxPool2d((3, 3), (2, 2), (1, 1), (1, 1)),
    "MaxPool3d": nn.MaxPool3d(2, (1, 2, 2)),
    "MaxUnpool1d": nn.MaxUnpool1d(2),
    "MaxUnpool2d": nn.MaxUnpool2d((3, 2), stride=2, padding=1),
    "MaxUnpool3d": nn.MaxUnpool3d(2),
    "AvgPool1d": nn.AvgPool1d(2, padding=1, ceil_mode=True, count_include_pad=False),
    "AvgPool3d": nn.AvgPool3d(2, stride=(2, 1, 2), padding=1, divisor_override=3),
    "LPPool1d": nn.LPPool1d(1.5, 2),
    "LPPool2d": nn.LPPool2d(2, (2, 2), stride=(1, 2), ceil_mode=True),
    "LPPool3d": nn.LPPool3d(3, 2, stride=1),
    "FractionalMaxPool2d": nn.FractionalMaxPool2d(2, output_ratio=0.5, _random_samples=torch.rand(1, 2, 2)),
    "FractionalMaxPool3d": nn.FractionalMaxPool3d(2, output_size=(2, 1, 2), _random_samples=torch.rand(1, 2, 3)),
    "AdaptiveAvgPool1d": nn.AdaptiveAvgPool1d(3),
    "AdaptiveAvgPool3d": nn.AdaptiveAvgPool3d((None, 2, 1)),
    "AdaptiveMaxPool1d": nn.AdaptiveMaxPool1d(3),
    "AdaptiveMaxPool2d": nn.AdaptiveMaxPool2d((3, None)),
    "AdaptiveMaxPool3d": nn.AdaptiveMaxPool3d(2),
}
