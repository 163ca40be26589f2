from torch import nn

MODULES = {
    "Conv1d": nn.Conv1d(2, 4, 3),
    "Conv2d": nn.Conv2d(2, 4, 3),
    "Conv2d/all": nn.Conv2d(2, 4, (3, 2), stride=(2, 1), padding=(1, 0), dilation=2, groups=2, bias=False,
                            padding_mode="reflect"),
    "Conv2d/same": nn.Conv2d(2, 4, 3, padding="same"),
    "Conv2d/valid": nn.Conv2d(2, 4, 3, padding="valid", padding_mode="circular"),
    "Conv3d": nn.Conv3d(2, 4, 2),
    "MaxPool2d": nn.MaxPool2d(2),
    "MaxPool2d/all": nn.MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), ceil_mode=True),
    "AvgPool2d": nn.AvgPool2d(2),
    "AvgPool2d/all": nn.AvgPool2d(2, stride=1, padding=1, ceil_mode=True, count_include_pad=False, divisor_override=3),
    "AdaptiveAvgPool2d": nn.AdaptiveAvgPool2d(1),
    "AdaptiveAvgPool2d/two": nn.AdaptiveAvgPool2d((2, 1)),
}
