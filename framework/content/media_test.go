package content_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bowline-mcp/bowline/framework/content"
)

// png has the first bytes of a PNG, which are enough to detect its type.
const png = "\x89PNG\r\n\x1a\n"

func TestImagesAndAudioKeepTheirBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{"dot.png": png, "unnamed": png, "beep.wav": "RIFF\x00\x00\x00\x00WAVE"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	must := func(block content.Block, err error) content.Block {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return block
	}
	for _, test := range []struct {
		name      string
		block     content.Block
		kind      string
		data      string
		mediaType string
	}{
		{"image of bytes", content.Image([]byte("abc"), "image/gif"), "image", "abc", "image/gif"},
		{"image of base64", must(content.ImageBase64("YWJj", "image/gif")), "image", "abc", "image/gif"},
		{"image of a reader", must(content.ImageReader(strings.NewReader("abc"), "image/gif")), "image", "abc", "image/gif"},
		{"image of a file, by its name", must(content.ImageFile(filepath.Join(dir, "dot.png"))), "image", png, "image/png"},
		{"image of a file, by its bytes", must(content.ImageFile(filepath.Join(dir, "unnamed"))), "image", png, "image/png"},
		{"audio of bytes", content.Audio([]byte("abc"), "audio/wav"), "audio", "abc", "audio/wav"},
		{"audio of base64", must(content.AudioBase64("YWJj", "audio/wav")), "audio", "abc", "audio/wav"},
		{"audio of a reader", must(content.AudioReader(strings.NewReader("abc"), "audio/wav")), "audio", "abc", "audio/wav"},
		{"audio of a file", must(content.AudioFile(filepath.Join(dir, "beep.wav"))), "audio", "RIFF\x00\x00\x00\x00WAVE", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.block.Type != test.kind || string(test.block.Data) != test.data {
				t.Errorf("got %s of %q, want %s of %q", test.block.Type, test.block.Data, test.kind, test.data)
			}
			if got := test.block.MIMEType; got != test.mediaType && test.mediaType != "" || !strings.HasPrefix(got, test.kind+"/") {
				t.Errorf("its type is %q, want %q", got, test.mediaType)
			}
		})
	}
}

func TestAFileThatIsNotAnImageOrNotReadableIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page := filepath.Join(dir, "page.html")
	if err := os.WriteFile(page, []byte("<html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is gone")
	for _, test := range []struct {
		name string
		make func() (content.Block, error)
		want string
	}{
		{"a page as an image", func() (content.Block, error) { return content.ImageFile(page) }, "page.html is of type text/html; charset=utf-8, not image/…; give its bytes and type instead"},
		{"a page as audio", func() (content.Block, error) { return content.AudioFile(page) }, "not audio/…"},
		{"a missing file", func() (content.Block, error) { return content.ImageFile(filepath.Join(dir, "none.png")) }, "no such file"},
		{"URL-safe base64", func() (content.Block, error) { return content.ImageBase64("_-8=", "image/png") }, "base64: "},
		{"base64 without padding", func() (content.Block, error) { return content.ImageBase64("YQ", "image/png") }, "base64: "},
		{"base64 with bits that are no byte's", func() (content.Block, error) { return content.ImageBase64("YR==", "image/png") }, "base64: "},
		{"base64 with a line end", func() (content.Block, error) { return content.AudioBase64("YWJj\n", "audio/wav") }, "base64: line ends aren't allowed"},
		{"a reader that fails", func() (content.Block, error) { return content.ImageReader(failing{broken}, "image/png") }, "the disk is gone"},
		{"a resource in bad base64", func() (content.Block, error) { return content.EmbedBase64("x:y", "", "!") }, "base64: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.make()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got the error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestReadersAreReadToALimitAndClosed(t *testing.T) {
	t.Parallel()
	endless := &counting{}
	if _, err := content.ImageReader(endless, "image/png"); err == nil || err.Error() != "the contents are larger than 32 MiB; send a link instead" {
		t.Errorf("an endless reader returns the error %v", err)
	}
	if endless.read > content.MaxBytes+1<<20 {
		t.Errorf("%d bytes were read of an endless reader", endless.read)
	}
	if !endless.closed {
		t.Error("the reader was not closed")
	}
	exact := io.LimitReader(&counting{}, content.MaxBytes)
	if data, err := content.ReadAll(exact); err != nil || len(data) != content.MaxBytes {
		t.Errorf("32 MiB: got %d bytes and the error %v", len(data), err)
	}
}

func TestReadersAreClosedWhenTheyFail(t *testing.T) {
	t.Parallel()
	r := &closing{Reader: io.MultiReader(bytes.NewReader([]byte("x")), failing{io.ErrUnexpectedEOF})}
	if _, err := content.EmbedReader("x:y", "", r); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got the error %v", err)
	}
	if !r.closed {
		t.Error("the reader was not closed")
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// counting is an endless reader.
type counting struct {
	read   int
	closed bool
}

func (c *counting) Read(b []byte) (int, error) {
	c.read += len(b)
	return len(b), nil
}

func (c *counting) Close() error {
	c.closed = true
	return nil
}

type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}
