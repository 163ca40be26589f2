package turbojpeg_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
	"github.com/gotorch/gotorch/torch/data/codecs/turbojpeg"
)

// Write an image and read it again. The file and the pixels are the same as in torchvision.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "gray.jpg")
	torch.Scope(func() {
		image := torch.Full(torch.Shape{1, 8, 8}, 100, torch.Uint8)
		if err := data.WriteJPEG(image, path, data.Encoder(turbojpeg.Encode)); err != nil {
			log.Fatal(err)
		}
		back, err := data.ReadImage(path, data.Decoder(turbojpeg.Decode))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(back.Shape(), back.Equal(image))
	})
	// Output: (1, 8, 8) true
}
