from torch import nn

ALL = dict(num_layers=2, bias=False, batch_first=True, dropout=0.5, bidirectional=True)

MODULES = {
    "RNN": nn.RNN(4, 3),
    "RNN/all": nn.RNN(4, 3, nonlinearity="relu", **ALL),
    "LSTM": nn.LSTM(4, 3),
    "LSTM/all": nn.LSTM(4, 3, proj_size=2, **ALL),
    "GRU": nn.GRU(4, 3),
    "GRU/all": nn.GRU(4, 3, **ALL),
    "RNNCell": nn.RNNCell(4, 3),
    "RNNCell/all": nn.RNNCell(4, 3, bias=False, nonlinearity="relu"),
    "LSTMCell": nn.LSTMCell(4, 3),
    "LSTMCell/all": nn.LSTMCell(4, 3, bias=False),
    "GRUCell": nn.GRUCell(4, 3),
    "GRUCell/all": nn.GRUCell(4, 3, bias=False),
}
