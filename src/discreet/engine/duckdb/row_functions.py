"""The functions of DuckDB that a view may call: known one by one, each of its arguments alone.

Rules of this module:
- a function is listed only if it looks at its arguments alone, fails in a way that TRY catches, and
  makes no large cell of a small one; what is new in DuckDB is refused until it is looked at;
- a connection whose own macros have the name of one of DuckDB's functions is not read at all.
"""

_LISTED = """
! !~~ !~~* % & * ** + - / // << <= <> < = > >= >> ^ ^@ | || ~ ~~ ~~* ~~~ abs acos acosh add asin
asinh atan atan2 atanh bit_count bit_length cbrt ceil ceiling cos cosh cot degrees divide even
exp fdiv floor fmod gamma gcd greatest_common_divisor isfinite isinf isnan lcm
least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow power radians round
sign signbit sin sinh sqrt subtract tan tanh trunc xor greatest least if ifnull nullif coalesce
ascii base64 chr char_length character_length concat concat_ws contains damerau_levenshtein
decode editdist3 encode ends_with from_base64 from_hex hamming hex instr jaccard jaro_similarity
jaro_winkler_similarity lcase left left_grapheme len length length_grapheme levenshtein
like_escape lower ltrim md5 mismatches nfc_normalize not_like_escape ord position prefix
regexp_extract regexp_full_match regexp_matches regexp_replace replace reverse right
right_grapheme rtrim sha1 sha256 split split_part starts_with str_split str_split_regex
string_split string_split_regex string_to_array strip_accents strlen strpos substr substring
substring_grapheme suffix to_base64 to_hex translate trim ucase unhex unicode upper url_decode
url_encode century date_add date_diff date_part date_sub date_trunc datediff datepart datesub
datetrunc day dayname dayofmonth dayofweek dayofyear decade epoch epoch_ms epoch_ns epoch_us era
hour isodow isoyear julian last_day make_date make_time make_timestamp microsecond millennium
millisecond minute month monthname nanosecond quarter second strftime strptime to_centuries
to_days to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months
to_quarters to_seconds to_timestamp to_weeks to_years try_strptime week weekday weekofyear year
yearweek array_contains array_extract array_has list_contains list_element list_extract list_has
list_value struct_extract struct_pack row map_extract map_extract_value
"""

ROW_FUNCTIONS = frozenset(_LISTED.split())
