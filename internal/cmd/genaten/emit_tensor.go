package main

// tensor writes torch/aten, the operators over *torch.Tensor.
func (g *generator) tensor() error { return nil }
