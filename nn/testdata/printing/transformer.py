from torch import nn

ALL = dict(dim_feedforward=6, dropout=0.5, activation="gelu", layer_norm_eps=0.1, batch_first=True,
           norm_first=True, bias=False)

MODULES = {
    "TransformerEncoderLayer": nn.TransformerEncoderLayer(4, 2),
    "TransformerEncoderLayer/all": nn.TransformerEncoderLayer(4, 2, **ALL),
    "TransformerEncoderLayer/layer": nn.TransformerEncoderLayer(4, 2, 6, activation=nn.PReLU()),
    "TransformerDecoderLayer": nn.TransformerDecoderLayer(4, 2),
    "TransformerDecoderLayer/all": nn.TransformerDecoderLayer(4, 2, **ALL),
    "TransformerEncoder": nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, batch_first=True), 2),
    "TransformerEncoder/all": nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, batch_first=True), 1,
                                                    nn.Tanh(), False, False),
    "TransformerDecoder": nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, batch_first=True), 2),
    "TransformerDecoder/all": nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 6, batch_first=True), 1,
                                                    nn.Tanh()),
    "Transformer": nn.Transformer(4, 2, 1, 1, 6, batch_first=True),
    "Transformer/all": nn.Transformer(4, 2, 1, 2, **ALL),
}
