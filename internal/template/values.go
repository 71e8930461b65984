package template

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"
)

// fields follows names into a value.
func fields(value any, names []string) (any, error) {
	for _, name := range names {
		v := reflect.ValueOf(value)
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		var found reflect.Value
		switch {
		case !v.IsValid():
			return nil, fmt.Errorf("nil data; no entry for key %q", name)
		case v.Kind() == reflect.Struct:
			if f, has := v.Type().FieldByName(name); has && f.IsExported() {
				found = v.FieldByIndex(f.Index)
			}
		case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
			if found = v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key())); !found.IsValid() {
				return nil, fmt.Errorf("map has no entry for key %q", name)
			}
		}
		if !found.IsValid() {
			return nil, fmt.Errorf("can't evaluate field %s in type %s", name, reflect.TypeOf(value))
		}
		value = found.Interface()
	}
	return value, nil
}

// isTrue reports whether a value is not empty.
func isTrue(value any) bool {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() > 0
	case reflect.Struct:
		return true
	default:
		return !v.IsZero()
	}
}

// elements returns what a loop goes over. It sets err when a value is nothing of the
// kind.
func elements(value any, err *error) iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		v := reflect.ValueOf(value)
		switch v.Kind() {
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				if !yield(i, v.Index(i).Interface()) {
					return
				}
			}
		case reflect.Invalid:
		default:
			*err = fmt.Errorf("range can't iterate over %v", value)
		}
	}
}

// builtins returns the functions of the language that are no logic of their own.
func builtins() map[string]Func {
	compared := func(fits func(int) bool) Func {
		return func(args []any) (any, error) {
			if len(args) != 2 {
				return nil, fmt.Errorf("wrong number of args: want 2 got %d", len(args))
			}
			order, err := compare(args[0], args[1])
			return err == nil && fits(order), err
		}
	}
	return map[string]Func{
		"not": func(args []any) (any, error) {
			if len(args) != 1 {
				return nil, fmt.Errorf("wrong number of args: want 1 got %d", len(args))
			}
			return !isTrue(args[0]), nil
		},
		"eq": equal,
		"ne": func(args []any) (any, error) {
			if len(args) != 2 {
				return nil, fmt.Errorf("wrong number of args: want 2 got %d", len(args))
			}
			same, err := equal(args)
			return same == false, err
		},
		"lt":    compared(func(order int) bool { return order < 0 }),
		"le":    compared(func(order int) bool { return order <= 0 }),
		"gt":    compared(func(order int) bool { return order > 0 }),
		"ge":    compared(func(order int) bool { return order >= 0 }),
		"len":   length,
		"index": index,
	}
}

var errKinds = errors.New("incompatible types for comparison")

// equal reports whether the first argument is one of the others.
func equal(args []any) (any, error) {
	if len(args) < 2 {
		return false, errors.New("missing argument for comparison")
	}
	for _, other := range args[1:] {
		same, err := isSame(args[0], other)
		if err != nil || same {
			return same, err
		}
	}
	return false, nil
}

func isSame(a, b any) (bool, error) {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case !v.IsValid() || !w.IsValid():
		return v.IsValid() == w.IsValid(), nil
	case v.CanInt() && w.CanInt(), v.CanFloat() && w.CanFloat(), v.Kind() == reflect.String && w.Kind() == reflect.String:
		order, err := compare(a, b)
		return order == 0, err
	case v.Kind() == reflect.Bool && w.Kind() == reflect.Bool:
		return v.Bool() == w.Bool(), nil
	case isBasic(v) || isBasic(w):
		return false, errKinds
	case !v.Comparable() || !w.Comparable():
		return false, fmt.Errorf("non-comparable type %s: %s", v, v.Type())
	}
	return a == b, nil
}

func isBasic(v reflect.Value) bool {
	return v.CanInt() || v.CanFloat() || v.Kind() == reflect.String || v.Kind() == reflect.Bool
}

// compare orders numbers and texts.
func compare(a, b any) (int, error) {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case v.CanInt() && w.CanInt():
		return cmp.Compare(v.Int(), w.Int()), nil
	case v.CanFloat() && w.CanFloat():
		return cmp.Compare(v.Float(), w.Float()), nil
	case v.Kind() == reflect.String && w.Kind() == reflect.String:
		return cmp.Compare(v.String(), w.String()), nil
	case v.CanInt() || v.CanFloat() || v.Kind() == reflect.String:
		return 0, errKinds
	default:
		return 0, errors.New("invalid type for comparison")
	}
}

func length(args []any) (any, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("wrong number of args: want 1 got %d", len(args))
	}
	v := reflect.ValueOf(args[0])
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map:
		return v.Len(), nil
	case reflect.Invalid:
		return nil, errors.New("len of nil pointer")
	default:
		return nil, fmt.Errorf("len of type %s", v.Type())
	}
}

// index returns an element of the first argument, and with more arguments an element
// of that.
func index(args []any) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("wrong number of args: want at least 1 got 0")
	}
	value := args[0]
	for _, at := range args[1:] {
		v, i := reflect.ValueOf(value), reflect.ValueOf(at)
		switch v.Kind() {
		case reflect.Invalid:
			return nil, errors.New("index of untyped nil")
		case reflect.Slice, reflect.Array, reflect.String:
			if !i.IsValid() || !i.CanInt() {
				return nil, fmt.Errorf("cannot index slice/array with type %T", at)
			}
			if n := i.Int(); n < 0 || n >= int64(v.Len()) {
				return nil, fmt.Errorf("index out of range: %d", n)
			}
			value = v.Index(int(i.Int())).Interface()
		default:
			return nil, fmt.Errorf("can't index item of type %s", v.Type())
		}
	}
	return value, nil
}
