package content

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// MaxBytes is the limit for reading a file or a reader: 32 MiB.
const MaxBytes = 32 << 20

// Image returns a block with an image of a type such as image/png.
func Image(data []byte, mimeType string) Block {
	return Block{Type: TypeImage, Data: data, MIMEType: mimeType}
}

// ImageBase64 returns a block with an image in standard base64.
func ImageBase64(data, mimeType string) (Block, error) { return fromBase64(Image, data, mimeType) }

// ImageFile returns a block with an image file. The type is derived from the file's name, or
// from its contents if the name doesn't tell.
func ImageFile(path string) (Block, error) { return fromFile(Image, path, "image/") }

// ImageReader returns a block with the image read from r, at most [MaxBytes]. If r is an
// [io.Closer], ImageReader closes it.
func ImageReader(r io.Reader, mimeType string) (Block, error) { return fromReader(Image, r, mimeType) }

// Audio returns a block with audio of a type such as audio/wav. Protocol version
// 2024-11-05 has no audio; its clients get a text instead.
func Audio(data []byte, mimeType string) Block {
	return Block{Type: TypeAudio, Data: data, MIMEType: mimeType}
}

// AudioBase64 returns a block with audio in standard base64.
func AudioBase64(data, mimeType string) (Block, error) { return fromBase64(Audio, data, mimeType) }

// AudioFile returns a block with an audio file. The type is derived from the file's name, or
// from its contents if the name doesn't tell.
func AudioFile(path string) (Block, error) { return fromFile(Audio, path, "audio/") }

// AudioReader returns a block with the audio read from r, at most [MaxBytes]. If r is an
// [io.Closer], AudioReader closes it.
func AudioReader(r io.Reader, mimeType string) (Block, error) { return fromReader(Audio, r, mimeType) }

func fromBase64(block func([]byte, string) Block, data, mimeType string) (Block, error) {
	decoded, err := DecodeBase64(data)
	if err != nil {
		return Block{}, err
	}
	return block(decoded, mimeType), nil
}

func fromFile(block func([]byte, string) Block, path, want string) (Block, error) {
	data, mimeType, err := ReadFile(path)
	if err != nil {
		return Block{}, err
	}
	if !strings.HasPrefix(mimeType, want) {
		return Block{}, fmt.Errorf("%s is of type %s, not %s…; give its bytes and type instead", filepath.Base(path), mimeType, want)
	}
	return block(data, mimeType), nil
}

func fromReader(block func([]byte, string) Block, r io.Reader, mimeType string) (Block, error) {
	data, err := ReadAll(r)
	if err != nil {
		return Block{}, err
	}
	return block(data, mimeType), nil
}

// DecodeBase64 decodes standard base64 with padding. It refuses all other input,
// including line ends.
func DecodeBase64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, fmt.Errorf("base64: line ends aren't allowed")
	}
	data, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("base64: %w", err)
	}
	return data, nil
}

// ReadAll reads r to the end, at most [MaxBytes], and closes it if it is an
// [io.Closer].
func ReadAll(r io.Reader) ([]byte, error) {
	if closer, ok := r.(io.Closer); ok {
		defer func() { _ = closer.Close() }()
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = fmt.Errorf("the contents are larger than %d MiB; send a link instead", MaxBytes>>20)
	}
	return data, err
}

// ReadFile reads a file, at most [MaxBytes], and derives its MIME type from its name, or
// from its contents if the name doesn't tell.
func ReadFile(path string) (data []byte, mimeType string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	if data, err = ReadAll(file); err != nil {
		return nil, "", fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return data, TypeOf(path, data), nil
}
