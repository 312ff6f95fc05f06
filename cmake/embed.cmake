# Writes OUTPUT: for each of FILES a row {"name", "text"} of string literals, line by line.
set(rows "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(MAKE_C_IDENTIFIER ${name} identifier)
  string(APPEND rows "static const unsigned char text_of_${identifier}[] = {${bytes}0};\n")
  string(APPEND list "    {\"${name}\", (const char *)text_of_${identifier}, sizeof text_of_${identifier} - 1},\n")
endforeach()
file(WRITE ${OUTPUT} "// made by cmake/embed.cmake
${rows}
static const struct
{
    const char *name, *text;
    unsigned long size;
} embedded[] = {
${list}};
")
