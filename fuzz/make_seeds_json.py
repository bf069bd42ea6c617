#!/usr/bin/env python3
"""Write the seeds of fuzz_json: small texts, one idea each, about half of them wrong.

They go to corpus/json/ beside this file, under their own names; other files there are kept."""
import pathlib

FOLDER = pathlib.Path(__file__).parent / "corpus" / "json"

SEEDS = {
    "null": b"null",
    "words": b"[true,false,null]",
    "numbers": b"[0,-0,12,-7,1.5,12.0,0.00,1e9,1E+9,1e-9,-1.5e-7]",
    "int64_ends": b"[9223372036854775807,-9223372036854775808,9223372036854775808,"
                  b"-9223372036854775809]",
    "empty_containers": b"[[],{},[[]],[{}]]",
    "spaces": b" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } } \n",
    "same_name_twice": b'{"a":1,"b":2,"a":3,"\\u0061":4}',
    "empty_name": b'{"":0,"\\u0000":1}',
    "escapes": b'"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e4\\u20ac"',
    "surrogate_pair": b'"\\ud83d\\ude00 \\uD83D\\uDE00"',
    "lone_surrogates": b'["\\ud800","\\udc00","\\ud800\\ud800","\\ud800\\u0041","\\udc00\\ud800"]',
    "nul_escape": b'"a\\u0000b"',
    "delete_is_allowed": b'"\x7f"',
    "utf8": '["\u00e4","\u20ac","\U0001f600","\ufeff"]'.encode(),
    "byte_order_mark": b"\xef\xbb\xbf[1]",
    "string_of_64": b'"' + b"a" * 64 + b'"',
    "quote_at_each_place": b"[" + b",".join(b'"' + b"a" * n + b'\\""' for n in range(13, 19))
                           + b"]",
    "wide_at_each_place": b"[" + b",".join(b'"' + b"a" * n + b'\xc3\xa4"' for n in (14, 15, 62, 63))
                          + b"]",
    "depth_512": b"[" * 512 + b"]" * 512,
    "depth_of_objects": b'{"a":' * 200 + b"1" + b"}" * 200,
    "many_members": b"{" + b",".join(b'"%d":%d' % (n, n) for n in range(40)) + b"}",
    "wrong_depth_513": b"[" * 513 + b"]" * 513,
    "wrong_empty": b"",
    "wrong_only_space": b" \n",
    "wrong_two_values": b"1 2",
    "wrong_leading_zero": b"[01]",
    "wrong_minus": b"[-]",
    "wrong_fraction": b"[1.]",
    "wrong_exponent": b"[1e+]",
    "wrong_plus": b"[+1]",
    "wrong_hex": b'"\\u12g4"',
    "wrong_escape": b'"\\x"',
    "wrong_escape_at_the_end": b'"\\',
    "wrong_short_unicode": b'"\\u12',
    "wrong_control": b'"\n"',
    "wrong_nul": b"[1]\0",
    "wrong_single_quotes": b"['a']",
    "wrong_trailing_comma": b"[1,]",
    "wrong_trailing_member": b'{"a":1,}',
    "wrong_no_colon": b'{"a" 1}',
    "wrong_number_as_name": b"{1:2}",
    "wrong_bracket": b"[1}",
    "wrong_open": b'[{"a":[1',
    "wrong_word": b"[nul]",
    "wrong_words_together": b"[truefalse]",
    "wrong_overlong": b'"\xc0\xaf"',
    "wrong_utf8_surrogate": b'"\xed\xa0\x80"',
    "wrong_utf8_past_the_end": b'"\xf4\x90\x80\x80"',
    "wrong_utf8_cut_off": b'"\xe2\x82',
    "wrong_two_marks": b"\xef\xbb\xbf\xef\xbb\xbf1",
}


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in SEEDS.items():
        (FOLDER / (name + ".json")).write_bytes(text)
    print(len(SEEDS), "seeds in", FOLDER.name)


if __name__ == "__main__":
    main()
