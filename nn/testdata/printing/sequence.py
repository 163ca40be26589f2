from torch import nn

MODULES = {
    "Embedding": nn.Embedding(5, 3),
    "Embedding/all": nn.Embedding(5, 3, padding_idx=-1, scale_grad_by_freq=True, sparse=True),
    "Embedding/norm": nn.Embedding(5, 3, max_norm=1.5, norm_type=1.0),
    "MultiheadAttention": nn.MultiheadAttention(4, 2),
    "MultiheadAttention/all": nn.MultiheadAttention(4, 2, dropout=0.1, bias=False, batch_first=True),
    "MultiheadAttention/sizes": nn.MultiheadAttention(4, 2, kdim=3, vdim=4),
    "MultiheadAttention/further": nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True),
}
