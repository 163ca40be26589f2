// Command consumer goes through each of the three codecs.
package main

import (
	"bytes"
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
	if err := data.WriteJPEG(os.Args[1], image, data.Encoder(turbojpeg.Encode)); err != nil {
		log.Fatal(err)
	}
	back, err := data.ReadImage(os.Args[1], data.Decoder(turbojpeg.Decode))
	if err != nil {
		log.Fatal(err)
	}
	// A JPEG is no WebP, which libwebp has to say.
	if _, err := data.ReadImage(os.Args[1], data.Decoder(webp.Decode)); err == nil {
		log.Fatal("webp decoded a JPEG")
	}
	// A frame of one block that is not compressed.
	frame := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 5, 5<<3 | 1, 0, 0}, "hello"...)
	r, err := zstd.NewReader(bytes.NewReader(frame))
	if err != nil {
		log.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v %v %s\n", back.Shape(), back.Equal(image), text)
	if !back.Equal(image) || string(text) != "hello" {
		log.Fatal("expected the same image, and hello")
	}
}
