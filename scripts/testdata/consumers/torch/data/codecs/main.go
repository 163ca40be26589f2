// Command consumer uses each of the three codecs.
package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/turbojpeg"
	"github.com/gotorch/gotorch/torch/data/codecs/webp"
	"github.com/gotorch/gotorch/torch/data/codecs/zstd"
)

func main() {
	image := torch.Full(torch.Shape{1, 8, 8}, 100, torch.Uint8)
	if err := data.WriteJPEG(image, os.Args[1], data.Encoder(turbojpeg.Encode)); err != nil {
		log.Fatal(err)
	}
	back, err := data.ReadImage(os.Args[1], data.Decoder(turbojpeg.Decode))
	if err != nil {
		log.Fatal(err)
	}
	// A lossless image of one pixel.
	pixel, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(os.Args[1], pixel, 0o600); err != nil {
		log.Fatal(err)
	}
	small, err := data.ReadImage(os.Args[1], data.Decoder(webp.Decode))
	if err != nil {
		log.Fatal(err)
	}
	// An uncompressed frame of one block.
	frame := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 5<<3 | 1, 0, 0}, "hello"...)
	r, err := zstd.NewReader(bytes.NewReader(frame))
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v %v %v %s\n", back.Shape(), back.Equal(image), small.Shape(), text)
	if !back.Equal(image) || small.Size(1) != 1 || small.Size(2) != 1 || string(text) != "hello" {
		log.Fatal("expected the same image, one pixel, and hello")
	}
}
