package data

import (
	"bytes"
	"encoding/binary"

	"github.com/gotorch/gotorch/torch"
)

// exifOrientation returns the orientation, 1 to 8, from the EXIF data of a JPEG or PNG. If
// the EXIF data are missing or invalid, it returns 1, which leaves the image unchanged.
func exifOrientation(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xd8")):
		return tiffOrientation(jpegEXIF(b[2:]))
	case bytes.HasPrefix(b, []byte(pngMagic)):
		return tiffOrientation(pngEXIF(b[len(pngMagic):]))
	}
	return 1
}

// jpegEXIF returns the TIFF data in the first APP1 segment with EXIF data, or nil.
func jpegEXIF(b []byte) []byte {
	const prefix = "Exif\x00\x00"
	for len(b) >= 4 && b[0] == 0xff {
		marker := b[1]
		if marker == 0xff { // a byte of padding
			b = b[1:]
			continue
		}
		n := int(binary.BigEndian.Uint16(b[2:]))
		if marker == 0xda || n < 2 || n > len(b)-2 { // the image itself begins, or the segment is invalid
			return nil
		}
		if body := b[4 : 2+n]; marker == 0xe1 && bytes.HasPrefix(body, []byte(prefix)) {
			return body[len(prefix):]
		}
		b = b[2+n:]
	}
	return nil
}

// pngEXIF returns the data of the chunk eXIf, or nil.
func pngEXIF(b []byte) []byte {
	const frame = 12 // the bytes of a chunk's length, type and checksum
	for len(b) >= frame {
		n := uint64(binary.BigEndian.Uint32(b))
		if n > uint64(len(b)-frame) {
			return nil
		}
		switch string(b[4:8]) {
		case "eXIf":
			return b[8 : 8+n]
		case "IEND":
			return nil
		}
		b = b[frame+n:]
	}
	return nil
}

// tiffOrientation returns the orientation in TIFF data: tag 0x112 of the first directory. It
// returns 1 if the tag is missing or invalid.
func tiffOrientation(b []byte) int {
	const header, entry, tag = 8, 12, 0x112
	if len(b) < header {
		return 1
	}
	var order binary.ByteOrder
	switch string(b[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := uint64(order.Uint32(b[4:]))
	if at+2 > uint64(len(b)) {
		return 1
	}
	count := int(order.Uint16(b[at:]))
	b = b[at+2:]
	for ; count > 0 && len(b) >= entry; count-- {
		if order.Uint16(b) == tag {
			if v := int(order.Uint16(b[8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
		b = b[entry:]
	}
	return 1
}

// orient rotates and flips an image (..., height, width) with an EXIF orientation so that it
// is upright.
func orient(t *torch.Tensor, orientation int) *torch.Tensor {
	switch orientation {
	case 2:
		return t.Flip(-1)
	case 3:
		return t.Flip(-1, -2)
	case 4:
		return t.Flip(-2)
	case 5:
		return t.Transpose(-1, -2)
	case 6:
		return t.Transpose(-1, -2).Flip(-1)
	case 7:
		return t.Transpose(-1, -2).Flip(-1, -2)
	case 8:
		return t.Transpose(-1, -2).Flip(-2)
	}
	return t
}
