package hub

import (
	"crypto/sha1" //nolint:gosec // Git's hash, the only one that the hub has for small files
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strconv"
)

// digest computes the hash of a file while it is downloaded. The hub's entity tags are
// hashes: SHA-256 for large files, Git's SHA-1 of a blob for others.
type digest struct {
	hash.Hash
	etag string
	size int64 // -1 if unknown
}

func validETag(etag string) bool { return sha256Hash.MatchString(etag) || commitHash.MatchString(etag) }

// newDigest starts a hash. Git's hash begins with the size, so it cannot be computed before
// the size is known.
func newDigest(etag string, size int64) *digest {
	d := &digest{Hash: sha256.New(), etag: etag, size: size}
	if !sha256Hash.MatchString(etag) {
		d.Hash = sha1.New() //nolint:gosec // as above
	}
	d.Reset()
	return d
}

// Reset starts again.
func (d *digest) Reset() {
	d.Hash.Reset()
	if d.Size() == sha1.Size {
		_, _ = io.WriteString(d, "blob "+strconv.FormatInt(d.size, 10)+"\x00") // a hash returns no error
	}
}

// wrong returns the computed hash if it is not the expected one, or else "".
func (d *digest) wrong() string {
	if sum := hex.EncodeToString(d.Sum(nil)); sum != d.etag {
		return sum
	}
	return ""
}
