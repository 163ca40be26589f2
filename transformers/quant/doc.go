// Package quant has layers whose weights are quantised in the blocks of GGUF files: 4 to 9
// bits for each weight.
//
//	n, err := quant.Quantize(model, gguf.TypeQ8_0) // the Linears of a model
//	fmt.Println(n, "layers,", memory.Requested(torch.CPU), "bytes")
//
// A layer multiplies by the blocks as they are, so generation reads as many bytes as the
// file has. Results are float32; they differ from those of the unquantised model. Gradients
// pass through the layers to their input and bias, but the blocks cannot be trained: adapters
// of package peft can, and so can the weights after Dequantize. The kernels are for the CPU.
package quant
