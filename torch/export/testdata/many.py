"""Exports many programs and trains each for a few steps.

    python many.py FOLDER NAME...      writes NAME.pt2 and NAME.pt for each
    python many.py --list              prints the names

NAME.pt holds the inputs, the result before training, and the losses of the steps.
"""

import pathlib
import sys

import torch
from torch import nn

STEPS = 20


def r(*shape):
    return torch.randn(*shape)


class Wrapped(nn.Module):
    """A module whose forward is a function of a layer."""

    def __init__(self, layer, call):
        super().__init__()
        self.layer, self.call = layer, call

    def forward(self, *args):
        return self.call(self.layer, *args)


class Decoder(nn.Module):
    """A small language model: embeddings, causal attention, normalization, tied weights."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 32), nn.Embedding(16, 32)
        self.blocks = nn.ModuleList(nn.ModuleDict({
            "n1": nn.LayerNorm(32), "qkv": nn.Linear(32, 96), "out": nn.Linear(32, 32), "n2": nn.RMSNorm(32),
            "up": nn.Linear(32, 64), "down": nn.Linear(64, 32)}) for _ in range(2))
        self.head = nn.Linear(32, 50, bias=False)

    def forward(self, x):
        b, n = x.shape
        h = self.words(x) + self.places(torch.arange(n))
        for m in self.blocks:
            q, k, v = m["qkv"](m["n1"](h)).view(b, n, 3, 4, 8).permute(2, 0, 3, 1, 4)
            a = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            h = h + m["out"](a.transpose(1, 2).reshape(b, n, 32))
            h = h + m["down"](nn.functional.silu(m["up"](m["n2"](h))))
        return self.head(h)


def layers():
    """Layers of nn with their inputs."""
    both = lambda l, *a: l(*a)[0]  # noqa: E731
    return {
        "linear": (nn.Linear(4, 3), r(5, 4)),
        "bilinear": (nn.Bilinear(3, 4, 2), r(5, 3), r(5, 4)),
        "conv1d": (nn.Conv1d(3, 4, 3, padding=1, dilation=2), r(2, 3, 9)),
        "conv2d": (nn.Conv2d(4, 6, 3, stride=2, groups=2), r(2, 4, 8, 8)),
        "conv2d_same": (nn.Conv2d(2, 4, 3, padding="same", padding_mode="reflect"), r(2, 2, 6, 6)),
        "conv3d": (nn.Conv3d(1, 2, 2), r(1, 1, 4, 4, 4)),
        "conv_transpose2d": (nn.ConvTranspose2d(3, 2, 3, stride=2, output_padding=1), r(2, 3, 4, 4)),
        "batch_norm": (nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Tanh()), r(5, 4)),
        "instance_norm": (nn.InstanceNorm2d(3, affine=True, track_running_stats=True), r(2, 3, 5, 5)),
        "group_norm": (nn.GroupNorm(2, 4), r(2, 4, 5)),
        "layer_norm": (nn.LayerNorm([3, 4]), r(2, 3, 4)),
        "rms_norm": (nn.RMSNorm(6), r(2, 6)),
        "local_response_norm": (nn.Sequential(nn.Conv2d(2, 4, 1), nn.LocalResponseNorm(3)), r(1, 2, 4, 4)),
        "dropout": (nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.AlphaDropout(0.2)), r(6, 4)),
        "embedding": (nn.Embedding(9, 4, padding_idx=0), torch.tensor([[0, 3], [5, 8]])),
        "embedding_bag": (nn.EmbeddingBag(9, 4, mode="mean"), torch.tensor([1, 2, 4, 5]), torch.tensor([0, 2])),
        "rnn": (Wrapped(nn.RNN(4, 5, nonlinearity="relu"), both), r(3, 2, 4)),
        "lstm": (Wrapped(nn.LSTM(4, 5, bidirectional=True), both), r(3, 2, 4)),
        "gru": (Wrapped(nn.GRU(4, 5, num_layers=2, dropout=0.3), both), r(3, 2, 4)),
        "lstm_cell": (Wrapped(nn.LSTMCell(4, 5), both), r(2, 4)),
        "gru_cell": (nn.GRUCell(4, 5), r(2, 4)),
        "attention": (Wrapped(nn.MultiheadAttention(8, 2, batch_first=True), lambda l, x: l(x, x, x)[0]), r(2, 3, 8)),
        "encoder": (nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2), r(2, 3, 8)),
        "decoder_layer": (nn.TransformerDecoderLayer(8, 2, 16, activation="gelu"), r(3, 2, 8), r(4, 2, 8)),
        "pools": (nn.Sequential(nn.Conv2d(1, 4, 3), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(2), nn.LPPool2d(2, 2)),
                  r(2, 1, 9, 9)),
        "avg_pools": (nn.Sequential(nn.Conv1d(2, 4, 3), nn.AvgPool1d(2, ceil_mode=True), nn.AdaptiveMaxPool1d(3)),
                      r(2, 2, 12)),
        "upsample": (nn.Sequential(nn.Conv2d(1, 2, 1), nn.Upsample(scale_factor=2, mode="bicubic")), r(1, 1, 4, 4)),
        "pixel_shuffle": (nn.Sequential(nn.Conv2d(1, 4, 1), nn.PixelShuffle(2)), r(1, 1, 3, 3)),
        "padding": (nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(1, 2, 3), nn.CircularPad2d(1)), r(1, 1, 4, 4)),
        "folds": (nn.Sequential(nn.Unfold(2), nn.Linear(9, 9), nn.Fold((4, 4), 2)), r(1, 2, 4, 4)),
        "activations": (nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.PReLU(), nn.SiLU(), nn.Mish(), nn.GLU(),
                                      nn.Softplus(), nn.ELU(), nn.Hardswish(), nn.Softmax(-1)), r(3, 4)),
        "more_activations": (nn.Sequential(nn.Linear(4, 4), nn.CELU(), nn.SELU(), nn.LeakyReLU(), nn.ReLU6(),
                                           nn.Hardsigmoid(), nn.Tanhshrink(), nn.Softsign(), nn.LogSigmoid()), r(3, 4)),
        "weight_norm": (nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), r(2, 4)),
        "cosine": (Wrapped(nn.Linear(4, 4), lambda l, x: nn.functional.cosine_similarity(l(x), x)), r(3, 4)),
        "loss": (Wrapped(nn.Linear(4, 3), lambda l, x: nn.functional.cross_entropy(l(x), torch.tensor([0, 2, 1]),
                                                                                  label_smoothing=0.1)), r(3, 4)),
        "divergence": (Wrapped(nn.Linear(4, 5), lambda l, x: nn.functional.kl_div(
            l(x).log_softmax(-1), torch.full((6, 5), 0.2), reduction="batchmean")), r(6, 4)),
        "linalg": (Wrapped(nn.Linear(4, 4), lambda l, x: torch.linalg.solve(l.weight @ l.weight.T + torch.eye(4), x)),
                   r(4, 2)),
        "fft": (Wrapped(nn.Linear(8, 8), lambda l, x: torch.fft.rfft(l(x)).abs()), r(2, 8)),
        "einsum": (Wrapped(nn.Linear(4, 4), lambda l, x: torch.einsum("bij,bjk->bik", l(x), x.mT)), r(2, 3, 4)),
        "index": (Wrapped(nn.Linear(4, 4), lambda l, x: l(x)[:, [0, 2]].masked_fill(x[:, :2] > 0, 0.5)), r(3, 4)),
        "scatter": (Wrapped(nn.Linear(4, 4), lambda l, x: torch.zeros(3, 4).scatter_add(
            1, torch.tensor([[0, 1, 1, 3]] * 3), l(x))), r(3, 4)),
        "sort": (Wrapped(nn.Linear(6, 6), lambda l, x: l(x).sort(dim=1, descending=True)[0].cumsum(1)), r(3, 6)),
        "complex": (Wrapped(nn.Linear(4, 4), lambda l, x: torch.view_as_real(
            torch.view_as_complex(l(x).view(3, 2, 2)) * (1 + 2j))), r(3, 4)),
        "half": (nn.Linear(4, 3).bfloat16(), r(5, 4).bfloat16()),
        "double": (nn.Sequential(nn.Linear(4, 3), nn.Sigmoid()).double(), r(5, 4).double()),
        "language": (Decoder(), torch.randint(50, (2, 9))),
    }


def models():
    """Classifiers of torchvision, with small images."""
    import torchvision

    names = ["resnet18", "alexnet", "densenet121", "efficientnet_b0", "googlenet", "mnasnet0_5", "mobilenet_v2",
             "mobilenet_v3_small", "regnet_y_400mf", "resnext50_32x4d", "shufflenet_v2_x0_5", "squeezenet1_1",
             "convnext_tiny", "swin_t"]
    return {name: lambda name=name: (getattr(torchvision.models, name)(weights=None, num_classes=10,
                                                                       **({"init_weights": False, "aux_logits": False}
                                                                          if name == "googlenet" else {})),
                                     r(2, 3, 64, 64)) for name in names}


class Transformer(nn.Module):
    """A model of transformers that returns one tensor."""

    def __init__(self, model, pick):
        super().__init__()
        self.model, self.pick = model, pick

    def forward(self, *args):
        return self.pick(self.model, *args)


def transformers():
    """Models of transformers with tiny configurations and random weights."""
    import transformers as t

    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    ids = torch.randint(50, (2, 9))
    logits = lambda m, x: m(input_ids=x, use_cache=False).logits  # noqa: E731
    last = lambda m, x: m(x).last_hidden_state  # noqa: E731
    return {
        "bert": lambda: (Transformer(t.BertModel(t.BertConfig(vocab_size=50, **size)), last), ids),
        "gpt2": lambda: (Transformer(t.GPT2LMHeadModel(t.GPT2Config(
            vocab_size=50, n_positions=16, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2)),
            logits), ids),
        "llama": lambda: (Transformer(t.LlamaForCausalLM(t.LlamaConfig(
            vocab_size=50, num_key_value_heads=2, **size)), logits), ids),
        "vit": lambda: (Transformer(t.ViTModel(t.ViTConfig(image_size=16, patch_size=4, **size)), last),
                        r(2, 3, 16, 16)),
        "whisper": lambda: (Transformer(t.WhisperForConditionalGeneration(t.WhisperConfig(
            vocab_size=50, num_mel_bins=8, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=10,
            max_target_positions=12, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)),
            lambda m, x, y: m(input_features=x, decoder_input_ids=y, use_cache=False).logits), r(2, 8, 20), ids),
    }


def write(folder, name, module, *inputs):
    program = torch.export.export(module, inputs)
    path = folder / f"{name}.pt2"
    torch.export.save(program, path)
    loaded = torch.export.load(path).module()
    torch.manual_seed(3)
    first = loaded(*inputs).detach().clone()
    params = [p for p in loaded.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=0.01, momentum=0.9) if params else None
    losses = []
    for _ in range(STEPS if opt else 0):
        opt.zero_grad()
        loss = loaded(*inputs).float().square().mean()
        loss.backward()
        opt.step()
        losses.append(loss.detach().clone())
    torch.save({"inputs": list(inputs), "first": first, "losses": losses, "version": str(torch.__version__)},
               folder / f"{name}.pt")


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if sys.argv[1] == "--list":
        print("\n".join([*layers(), *models(), *transformers()]))
        return
    folder = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        torch.manual_seed(0)
        small, large = layers(), models() | transformers()
        write(folder, name, *(small[name] if name in small else large[name]()))


main()
