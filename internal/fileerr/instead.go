package fileerr

import "bytes"

// Instead says what a file is that is there instead of another one, of any format: the pointer
// of Git LFS, or a page of HTML. head are its first bytes, of which 64 are enough. It is "" for
// all other files.
func Instead(head []byte) string {
	head = bytes.ToLower(bytes.TrimLeft(head[:min(len(head), 64)], "\ufeff \t\r\n"))
	switch {
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return "a pointer of Git LFS, not the file that it points to: git lfs pull gets that"
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return "a page of HTML, such as a server sends for an error: download the file again, and look at the page in a browser"
	}
	return ""
}
