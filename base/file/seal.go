package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// sealPattern is the last key of a sealed JSON object.
var sealPattern = regexp.MustCompile(`,\n  "sha256": "([0-9a-f]{64})"\n}\n$`)

// SealedJSON is a value as indented JSON whose last key, "sha256", is the
// SHA-256 of the text without that key. value is a struct or a map that is not
// empty.
func SealedJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return Seal(b.Bytes())
}

// Seal adds the key to the text of an object as SealedJSON writes it.
func Seal(text []byte) ([]byte, error) {
	body, ok := bytes.CutSuffix(text, []byte("\n}\n"))
	if !ok {
		return nil, errors.New("this is no JSON object with a key in each line")
	}
	return fmt.Appendf(nil, "%s,\n  \"sha256\": \"%x\"\n}\n", body, sha256.Sum256(text)), nil
}

// Unseal returns the text without the key. It is an error if the text is not
// what was sealed, to the byte.
func Unseal(text []byte) ([]byte, error) {
	found := sealPattern.FindSubmatchIndex(text)
	if found == nil {
		return nil, errors.New("it does not end with its SHA-256")
	}
	body := append(bytes.Clone(text[:found[0]]), "\n}\n"...)
	if got, want := fmt.Sprintf("%x", sha256.Sum256(body)), string(text[found[2]:found[3]]); got != want {
		return nil, fmt.Errorf("it differs from what was written (SHA-256 %.12s…, it says %.12s…)", got, want)
	}
	return body, nil
}
