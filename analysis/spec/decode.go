package spec

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"fabriclab/base/catalog"
)

// Decode reads the section from its YAML node. Unknown keys are refused; the
// errors start with file:line. What names refer to is not checked here.
func Decode(file string, node *yaml.Node) (*Figure, error) {
	if err := strict(node, reflect.TypeFor[Figure]()); err != nil {
		return nil, located(file, err)
	}
	node, err := repeated(node)
	if err != nil {
		return nil, located(file, err)
	}
	f := &Figure{}
	if err := node.Decode(f); err != nil {
		return nil, located(file, err)
	}
	lines(node, "claims", func(i, line int) { f.Claims[i].Line = line })
	lines(node, "plots", func(i, line int) { f.Plots[i].Line = line })
	return f, nil
}

// lines calls set with the line of every entry of a list.
func lines(node *yaml.Node, key string, set func(i, line int)) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			for k, entry := range node.Content[i+1].Content {
				set(k, entry.Line)
			}
		}
	}
}

// A LineError is an error with the line it is about.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap is the error without its line.
func (e *LineError) Unwrap() error { return e.Err }

func at(node *yaml.Node, err error) error {
	if err == nil {
		return nil
	}
	return &LineError{node.Line, err}
}

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)

// located turns an error with a line into one that starts with file:line.
func located(file string, err error) error {
	if line, cause := lineOf(err); line > 0 {
		return At(file, line, cause)
	}
	return fmt.Errorf("%s: figure: %w", file, err)
}

// lineOf takes an error and its line apart; the line is 0 if there is none.
func lineOf(err error) (int, error) {
	var line *LineError
	if errors.As(err, &line) {
		return line.Line, line.Err
	}
	var typed *yaml.TypeError
	if errors.As(err, &typed) {
		if m := yamlLine.FindStringSubmatch(typed.Errors[0]); m != nil {
			if n, convErr := strconv.Atoi(m[1]); convErr == nil {
				return n, errors.New(m[2])
			}
		}
	}
	return 0, err
}

// DecodeStrict reads a value of another file in the same way: unknown keys are
// refused, and errors start with file:line.
func DecodeStrict(file string, node *yaml.Node, into any) error {
	err := strict(node, reflect.TypeOf(into))
	if err == nil {
		err = node.Decode(into)
	}
	if err == nil {
		return nil
	}
	if line, cause := lineOf(err); line > 0 {
		return fmt.Errorf("%s:%d: %w", file, line, cause)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// At puts file and line before an error.
func At(file string, line int, err error) error {
	return fmt.Errorf("%s:%d: figure: %w", file, line, err)
}

// strict refuses keys that the type does not have.
func strict(node *yaml.Node, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if items, ok := orderedItems(t); ok {
		return eachValue(node, items)
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[yaml.Unmarshaler]()) {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice:
		if node.Kind == yaml.SequenceNode {
			for _, n := range node.Content {
				if err := strict(n, t.Elem()); err != nil {
					return err
				}
			}
		}
	case reflect.Struct:
		if node.Kind != yaml.MappingNode {
			return at(node, fmt.Errorf("a mapping is due here"))
		}
		fields := map[string]reflect.Type{}
		keys(t, fields)
		for i := 0; i < len(node.Content); i += 2 {
			key := node.Content[i]
			field, ok := fields[key.Value]
			if !ok {
				known := make([]string, 0, len(fields))
				for name := range fields {
					known = append(known, name)
				}
				slices.Sort(known)
				return at(key, fmt.Errorf("unknown key %q%s", key.Value, catalog.Hint(key.Value, known)))
			}
			if err := strict(node.Content[i+1], field); err != nil {
				return err
			}
		}
	}
	return nil
}

func eachValue(node *yaml.Node, t reflect.Type) error {
	if node.Kind != yaml.MappingNode {
		return at(node, fmt.Errorf("a mapping of names is due here"))
	}
	for i := 1; i < len(node.Content); i += 2 {
		if err := strict(node.Content[i], t); err != nil {
			return err
		}
	}
	return nil
}

// orderedItems is the item type of an Ordered.
func orderedItems(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct || !strings.HasPrefix(t.Name(), "Ordered[") {
		return nil, false
	}
	items, _ := t.FieldByName("Items")
	return items.Type.Elem(), true
}

// keys collects the YAML keys of a struct.
func keys(t reflect.Type, into map[string]reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		switch name, option, _ := strings.Cut(field.Tag.Get("yaml"), ","); {
		case option == "inline":
			keys(field.Type, into)
		case name != "-":
			into[name] = field.Type
		}
	}
}
