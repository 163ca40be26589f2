// Package turbojpeg reads and writes JPEG with libjpeg-turbo. It decodes three times as
// fast as Go's package image/jpeg, and to the same pixels as Pillow and torchvision, which
// use the same library. Its encoder writes the same bytes as torchvision's encoder.
//
//	set, err := data.NewImageFolder(dir, data.Decoder(turbojpeg.Decode))
//	err = data.WriteJPEG(image, "a.jpg", data.Encoder(turbojpeg.Encode))
//
// Building it needs the library's headers: libjpeg62-turbo-dev on Debian,
// libjpeg-turbo8-dev on Ubuntu, libjpeg-turbo-devel on Fedora, jpeg-turbo in Homebrew.
// pkg-config must find them under the name libjpeg.
package turbojpeg
