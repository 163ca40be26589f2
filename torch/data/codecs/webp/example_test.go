package webp_test

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/webp"
)

// Decode one file; data.NewImageFolder takes the same option.
func Example() {
	img, err := data.ReadImage("testdata/lossy.webp", data.Decoder(webp.Decode))
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = img.Close() }()
	fmt.Println(img.DType(), img.Dim())
	// Output:
	// uint8 3
}
