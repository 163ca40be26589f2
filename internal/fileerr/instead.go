package fileerr

import "bytes"

// Instead recognizes a Git LFS pointer or an HTML page that was stored in place of the
// expected file, and describes it. head contains the first bytes of the file; Instead
// reads at most 64. For all other files it returns "".
func Instead(head []byte) string {
	head = bytes.ToLower(bytes.TrimLeft(head[:min(len(head), 64)], "\ufeff \t\r\n"))
	switch {
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return "a pointer of Git LFS, not the file that it points to: git lfs pull gets that"
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return "an HTML page, such as a server's error page: download the file again, and look at the page in a browser"
	}
	return ""
}
