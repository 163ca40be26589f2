// Package turbojpeg reads and writes JPEG by libjpeg-turbo: reads three times as fast as
// Go's package image/jpeg, and to the same bits as Pillow and torchvision, whose library it
// is. Both matter where a network was trained on their pixels. What it writes is
// torchvision's byte by byte.
//
//	set, err := data.NewImageFolder(dir, data.Decoder(turbojpeg.Decode))
//	err = data.WriteJPEG("a.jpg", image, data.Encoder(turbojpeg.Encode))
//
// It needs the library's headers: libjpeg62-turbo-dev on Debian and Ubuntu (where its
// name is libjpeg-turbo8-dev), libjpeg-turbo-devel on Fedora, jpeg-turbo of Homebrew.
// pkg-config finds them under the name libjpeg.
package turbojpeg
