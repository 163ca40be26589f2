package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

const incomplete = ".incomplete"

// download is the download of one file.
type download struct {
	*repo
	file string // the name in the repository
	url  string
	etag string
	size int64 // -1 if unknown

	to   *os.File
	at   int64 // bytes in the file
	hash *digest
}

// blob downloads a file to its blob, unless another process has done it meanwhile.
func (r *repo) blob(ctx context.Context, m *metadata, file string) error {
	if err := r.prepare(); err != nil {
		return r.system(file, err)
	}
	unlock, err := r.lock(ctx, m.etag)
	if err != nil {
		return r.system(file, err)
	}
	defer unlock()
	path := r.blobPath(m.etag)
	if exists(path) && !r.force {
		return nil
	}
	d := &download{repo: r, file: file, url: r.fileURL(m.commit, file), etag: m.etag, size: m.size}
	d.to, err = os.OpenFile(path+incomplete, os.O_RDWR|os.O_CREATE, 0o666) //nolint:gosec // as the umask allows
	if err != nil {
		return r.system(file, err)
	}
	err = d.run(ctx)
	if closed := d.to.Close(); err == nil && closed != nil {
		err = r.system(file, closed)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(path+incomplete, path); err != nil {
		return r.system(file, err)
	}
	return nil
}

// run fills the file. The bytes of an earlier download stay, if they turn out to be right.
func (d *download) run(ctx context.Context) error {
	kept, err := d.resume()
	if err != nil {
		return d.system(d.file, err)
	}
	most := d.at // a server that refuses to continue must not count as progress
	for attempt, again := 0, false; ; {
		resp, err := d.part(ctx)
		if err == nil {
			wrong := d.check()
			if wrong == nil {
				return d.finish()
			}
			if !kept && again {
				_ = d.restart() // the bytes are useless
				return wrong
			}
			kept, again = false, true // once more from the start
			err = d.restart()
			if err != nil {
				return d.system(d.file, err)
			}
			continue
		}
		if d.at > most {
			most, attempt = d.at, 0
		}
		if attempt >= d.retries || !mayPass(err) {
			return err
		}
		if err := d.client.wait(ctx, attempt, resp, d.file); err != nil {
			return err
		}
		attempt++
	}
}

// resume hashes the bytes of an earlier download, and reports whether there are any.
func (d *download) resume() (bool, error) {
	info, err := d.to.Stat()
	if err != nil {
		return false, err
	}
	d.hash = newDigest(d.etag, d.size)
	n := info.Size()
	if n == 0 || d.force || d.size < 0 || n > d.size {
		return false, d.restart()
	}
	if d.at, err = io.Copy(d.hash, d.to); err != nil {
		return false, err
	}
	return true, nil
}

// restart removes all bytes.
func (d *download) restart() error {
	d.at = 0
	d.hash.Reset()
	if err := d.to.Truncate(0); err != nil {
		return err
	}
	_, err := d.to.Seek(0, io.SeekStart)
	return err
}

// part downloads the rest of the file. Its error is of kind ErrUnavailable if another
// attempt may succeed.
func (d *download) part(ctx context.Context) (*response, error) {
	if d.at == d.size {
		return nil, nil
	}
	resp, err := d.client.follow(ctx, http.MethodGet, d.url, d.at, nil)
	if err == nil && resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		_ = resp.Body.Close()
		if err := d.restart(); err != nil {
			return nil, d.system(d.file, err)
		}
		return resp, d.fail(d.file, ErrUnavailable, "the hub refuses to continue at the end of the earlier download")
	}
	if err := d.client.judge(ctx, resp, err, d.url, d.file); err != nil {
		return resp, err
	}
	defer func() { _ = resp.Body.Close() }() // the bytes are checked
	if err := d.begin(resp); err != nil {
		return resp, err
	}
	return resp, d.copy(ctx, resp.Body)
}

// begin checks at which byte an answer begins.
func (d *download) begin(resp *response) error {
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return d.fail(d.file, ErrResponse, "an answer with the encoding %q, which was not asked for", clip(e))
	}
	switch resp.StatusCode {
	case http.StatusOK: // also a server that ignores Range
		if d.at > 0 {
			if err := d.restart(); err != nil {
				return d.system(d.file, err)
			}
		}
		if d.size < 0 && resp.ContentLength >= 0 {
			d.size = resp.ContentLength
			d.hash = newDigest(d.etag, d.size)
		}
		return nil
	case http.StatusPartialContent:
		if first, ok := firstByte(resp.Header.Get("Content-Range")); !ok || first != d.at {
			if err := d.restart(); err != nil {
				return d.system(d.file, err)
			}
			return d.fail(d.file, ErrUnavailable, "expected a part from byte %d, got Content-Range %q", d.at,
				clip(resp.Header.Get("Content-Range")))
		}
		return nil
	}
	e := d.fail(d.file, ErrResponse, "expected the file")
	e.Status, e.URL = resp.StatusCode, plainURL(resp.url.String())
	return e
}

// firstByte returns the position in a Content-Range such as "bytes 5-9/10".
func firstByte(s string) (int64, bool) {
	s, ok := strings.CutPrefix(s, "bytes ")
	first, _, dash := strings.Cut(s, "-")
	n, err := strconv.ParseInt(first, 10, 64)
	return n, ok && dash && err == nil
}

// errTooLong is the error of a server that sends more than it said.
var errTooLong = errors.New("more bytes than the file has")

// copy writes the bytes of an answer to the file and to the hash.
func (d *download) copy(ctx context.Context, from io.Reader) error {
	buf := make([]byte, 1<<17)
	for {
		n, readErr := from.Read(buf)
		if d.size >= 0 && int64(n) > d.size-d.at {
			n, readErr = int(d.size-d.at), errTooLong
		}
		if n > 0 {
			if _, err := d.to.Write(buf[:n]); err != nil {
				return d.system(d.file, err)
			}
			_, _ = d.hash.Write(buf[:n]) // a hash returns no error
			d.at += int64(n)
			d.report.bytes(d.file, d.at, d.size)
		}
		switch {
		case readErr == io.EOF:
			if d.size >= 0 && d.at < d.size {
				return d.fail(d.file, ErrUnavailable, "the answer ended after %d of %d bytes", d.at, d.size)
			}
			return nil
		case readErr == errTooLong: //nolint:errorlint // set above
			return nil // if the bytes so far are right, the others do not matter
		case readErr != nil:
			if err := d.ended(ctx, d.file); err != nil {
				return err
			}
			e := d.fail(d.file, ErrUnavailable, "the connection broke after %d bytes", d.at)
			e.Err = readErr
			return e
		}
	}
}

// check compares the hash.
func (d *download) check() error {
	if d.size < 0 { // Git's hash begins with the size
		d.hash = newDigest(d.etag, d.at)
		if _, err := d.to.Seek(0, io.SeekStart); err != nil {
			return d.system(d.file, err)
		}
		if _, err := io.Copy(d.hash, d.to); err != nil {
			return d.system(d.file, err)
		}
	}
	if wrong := d.hash.wrong(); wrong != "" {
		return d.fail(d.file, ErrHash, "expected %s, got %s of %d bytes", d.etag, wrong, d.at)
	}
	return nil
}

// finish writes the file to the disk, because nobody checks its hash again.
func (d *download) finish() error {
	if err := d.to.Sync(); err != nil {
		return d.system(d.file, fmt.Errorf("sync: %w", err))
	}
	return nil
}
