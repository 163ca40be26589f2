package gguf_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/transformers/gguf"
)

// Example saves a model with quantized weights and reads it again.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "model.gguf")

	torch.Scope(func() {
		weight := torch.Ones(torch.Shape{4, 32})
		err = gguf.Write([]gguf.KV{
			{Key: "general.architecture", Value: "llama"},
			{Key: "llama.block_count", Value: uint32(1)},
		},
			[]gguf.Data{gguf.FromTensor("token_embd.weight", weight, gguf.TypeQ8_0)}, path)
	})
	if err != nil {
		log.Fatal(err)
	}

	f, err := gguf.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	layers, _ := f.Int("llama.block_count")
	fmt.Println(layers, "layer")
	for _, name := range f.Names() {
		info, err := f.Tensor(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.Name, info.Type, info.Shape, info.Bytes)
	}
	torch.Scope(func() {
		w, err := f.Load("token_embd.weight", gguf.DType(torch.BFloat16))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(w.DType(), w.Sum().Item())
	})
	// Output:
	// 1 layer
	// token_embd.weight Q8_0 (4, 32) 136
	// bfloat16 128
}

// Dequantize converts blocks that a program has read itself.
func ExampleDequantize() {
	raw, err := gguf.Quantize(gguf.TypeQ4_0, slices.Repeat([]float32{1, -0.5}, 32))
	if err != nil {
		log.Fatal(err)
	}
	values := make([]float32, 64)
	if err := gguf.Dequantize(gguf.TypeQ4_0, raw, values); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(raw), values[:2])
	// Output: 36 [1 -0.5]
}
