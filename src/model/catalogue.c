/* What each endpoint and family takes, as data.
 *
 * The row with the pattern "*" is what holds for the whole endpoint and for an unknown model;
 * a family's row says what is different. The most specific pattern wins: an exact name before a
 * pattern, more letters before fewer. Adding a model that speaks an old dialect is one row here.
 *
 * Where the facts come from: recorded answers of the servers first, the vendors' own types second,
 * reports third. Remarkable ones:
 *  - Claude on Bedrock answers 200 to a document inside a tool result and never sees it, so all
 *    documents are injected; they may not stand in the turn of the results either.
 *  - Nova refuses PDF and office files inside a result, and takes csv and plain text there.
 *  - Llama, Pixtral and Writer want a turn with results to hold nothing else; Bedrock merges turns
 *    of one role, so a short assistant turn separates them. Mistral's own API wants the same.
 *  - Gemini takes media inside a function response from generation 3 on, in five types; it takes
 *    no GIF and no office files in any place.
 *  - A Gemini Files URI inside a function response answers 200 and is not seen: bytes only there.
 *  - Claude refuses temperature and top_p after Opus 4.6; GPT-5 does so where it thinks.
 *  - Claude refuses a conversation that ends with an answer, from 4.6 on; so does Cohere, and so
 *    does Mistral where the answer does not say that it is to be gone on with.
 *  - Gemini takes penalties up to 2.0 only. What is in no list of `settings` was not seen to be
 *    taken, or not for all models behind the endpoint.
 *  - Opus and Sonnet 4.6 take a number of tokens for thinking or decide it themselves; where they
 *    do, calls can be required, which a number forbids.
 *  - OpenAI's models without thoughts refuse a request that asks for encrypted ones.
 *  - Gemini's picture models want the pictures that they made back in their turns, with the
 *    signatures beside them.
 *  - An answer of OpenAI's in sound goes back as the id of that sound, without content.
 *  - Gemini refuses a conversation that begins with a call, so turns are merged as for others.
 *  - LiteLLM refuses calls in the history of a Claude model when no tools are described. Sound and
 *    video for Claude and Mistral, and video_url for Gemini and Nova, are accepted and lost; a
 *    picture in a result becomes a user message for OpenAI, Mistral, Cohere, Groq and xAI, which
 *    Mistral and Cohere refuse after a result.
 *  - Cohere takes pictures in user messages only, and no user message right after results; its
 *    models before Command R7B know no tool choice. Each adds a long prompt of its own.
 *  - Gemini 2 and Cohere refuse a schema for the answer together with tools; Ollama would have the
 *    model write that and never call one. GPT can be told not to think from 5.1 on, Gemini 2.5
 *    Flash too; Gemini 3 Pro thinks a little or much, with nothing between.
 *  - Ollama cuts what is over its window, 4,096 tokens unless a request asks for more, and says
 *    nothing. Its own API and those of others that it has are asked by the same program.
 *  - Claude on Bedrock takes cache marks that say for how long from 4.5 on.
 *  - QwQ on Ollama thinks in its text, and refuses to be asked for it.
 *  - "offline" is the simulator in this process. It has no files but those it is sent.
 */
#include "model/catalogue.h"

#define PICTURES "image/png,image/jpeg,image/gif,image/webp"
#define WORD_NEW "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
#define SHEET_NEW "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
#define SLIDES_NEW "application/vnd.openxmlformats-officedocument.presentationml.presentation"
#define WORD_OLD "application/msword"
#define SHEET_OLD "application/vnd.ms-excel"
#define SLIDES_OLD "application/vnd.ms-powerpoint"

/* Thinking by a number of tokens, as Claude had it up to Opus 4.6. */
/* Claude since Opus 4.1. */
#define ONE_SAMPLING "sampling=yes one_sampling=yes "
#define BUDGET "thinking=budget min_thinking_tokens=1024 "

/* What went with 4.6, and what that has besides a number of tokens. */
#define NO_PREFILL "prefill=no "
#define CLAUDE_4_6 BUDGET NO_PREFILL "thinking_adaptive=yes "

/* Schemas of answers came with 4.1. */
#define CLAUDE_4 BUDGET "sampling=yes answer_schema=no strict_tools=no context_tokens=200000 "
/* The longest answers: of Opus 4, of the other models of 4, and of the newest. */
#define SHORT_ANSWERS "max_output_tokens=32000 "
#define LONG_ANSWERS "max_output_tokens=64000 "
#define LONGEST_ANSWERS "max_output_tokens=128000 "

#define ANTHROPIC_IMAGE_TOKENS "patches/28/1568/1568"
#define ANTHROPIC_LARGE_IMAGE_TOKENS "patches/28/2576/4784"
#define PIXTRAL_IMAGE_TOKENS "patches/16/1024/4096"

/* What text and frames cost, by whose model it is, fitted to reported usage, against which
 * tests/recordings/tokens.py holds them. Scripts other than Latin are rounded up. */
#define CLAUDE_TEXT                                                                          \
    "text_percent=100 cjk_percent=115 script_percent=50 language_percent=200 "               \
    "request_tokens=4 message_tokens=3 "                                                     \
    "call_tokens=27 tools_tokens=500 tool_tokens=10 schema_percent=125 "
#define NEWER_CLAUDE_TEXT "text_percent=135 " /* from Opus 4.7 on, over the former */
#define GPT_TEXT                                                                             \
    "text_percent=105 cjk_percent=80 script_percent=35 language_percent=125 "                \
    "request_tokens=3 message_tokens=4 "                                                     \
    "call_tokens=6 tools_tokens=8 tool_tokens=2 schema_percent=60 "
#define GEMINI_TEXT                                                                          \
    "text_percent=96 token_digits=1 cjk_percent=70 script_percent=35 call_tokens=2 "         \
    "tool_tokens=8 schema_percent=50 "
#define LLAMA_TEXT                                                                           \
    "text_percent=100 cjk_percent=90 script_percent=45 request_tokens=3 message_tokens=4 "   \
    "call_tokens=15 tool_tokens=10 schema_percent=130 "
#define MISTRAL_TEXT                                                                         \
    "text_percent=100 token_digits=1 cjk_percent=90 script_percent=40 language_percent=165 " \
    "request_tokens=1 "                                                                      \
    "message_tokens=1 call_tokens=3 tool_tokens=15 schema_percent=170 "
#define COHERE_TEXT                                                                          \
    "text_percent=100 cjk_percent=80 script_percent=35 request_tokens=500 message_tokens=4 " \
    "call_tokens=20 tools_tokens=870 tool_tokens=10 "
#define NOVA_TEXT                                                                            \
    "text_percent=92 cjk_percent=100 script_percent=45 call_tokens=15 tool_tokens=10 "       \
    "schema_percent=120 "

/* Bedrock's document formats. */
#define BEDROCK_TEXT "text/csv,text/plain,text/html,text/markdown"
#define BEDROCK_OFFICE WORD_NEW "," SHEET_NEW "," WORD_OLD "," SHEET_OLD
#define BEDROCK_VIDEO                                                                    \
    "video/mp4,video/quicktime,video/x-matroska,video/webm,video/x-flv,video/mpeg,"      \
    "video/x-ms-wmv,video/3gpp"

#define BEDROCK_CLAUDE                                                                       \
    BUDGET CLAUDE_TEXT                                                                       \
    "image_inside=" PICTURES " pdf_inside=application/pdf text_inside=" BEDROCK_TEXT " "     \
    "office_inside=" BEDROCK_OFFICE " unseen_inside=pdf,text,office thinking_off=yes "       \
    "native_video=no url_user=- after=same-turn beside=image error_text_only=yes "           \
    "cache_marks=yes citations=yes document_wishes=yes settings=top_k prefill=trimmed "      \
    "replay=signed max_pdf_pages=100 context_tokens=200000 output_tokens=8192 "              \
    "stop_visible=yes flat_tools=yes "
/* Of pages only the text is looked at. */
#define BEDROCK_TEXT_PAGES "page_tokens=700 page_base_tokens=40 "

#define NOVA                                                                                 \
    "image_inside=" PICTURES " text_inside=text/csv,text/plain video_inside=" BEDROCK_VIDEO " " \
    "after=same-turn beside=image,pdf,text,office,video cache_marks=yes "                    \
    "context_tokens=300000 video_tokens_per_s=160 page_tokens=2600 " NOVA_TEXT

#define GEMINI_PICTURES "image/png,image/jpeg,image/webp,image/heic,image/heif"
#define GEMINI_AUDIO \
    "audio/wav,audio/mpeg,audio/aiff,audio/aac,audio/ogg,audio/flac,audio/mp4,audio/opus"
#define GEMINI_VIDEO                                                                        \
    "video/mp4,video/mpeg,video/quicktime,video/x-msvideo,video/x-flv,video/webm,"          \
    "video/x-ms-wmv,video/3gpp"

/* The value that the vendor documents for calls which another model made. */
#define GEMINI_NO_SIGNATURE "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="

#define GEMINI_ENDPOINT                                                                      \
    "dialect=gemini tools=yes vision=yes native_pdf=yes native_text=yes audio_input=yes "    \
    "native_video=yes image_user=" GEMINI_PICTURES " pdf_user=application/pdf "              \
    "text_user=text/* audio_user=" GEMINI_AUDIO " video_user=" GEMINI_VIDEO " "              \
    "after=next-turn merge_turns=yes sampling=yes forced_tool_choice=yes call_ids=any "      \
    "thinking=budget citations=yes answer_schema=alone "                                     \
    "replay=text result_status=yes stop=yes tool_choice_none=yes own_fields=yes "            \
    "in_answers=image,audio,video signed_texts=yes "                                         \
    "allowed_tools=forced json_mode=alone settings=top_k,seed "                              \
    "max_images=3000 max_body_bytes=20971520 max_document_bytes=52428800 "                   \
    "max_pdf_pages=1000 image_tokens=tiles/768/258/384 page_tokens=258 " GEMINI_TEXT         \
    "audio_tokens_per_s=32 video_tokens_per_s=290 "
#define GEMINI_3                                                                             \
    "image_inside=image/png,image/jpeg,image/webp pdf_inside=application/pdf "               \
    "text_inside=text/plain call_signature=" GEMINI_NO_SIGNATURE " thinking=effort "           \
    "answer_schema=yes json_mode=yes "                                                        \
    "image_tokens=fixed/1120 "                                                                \
    "page_tokens=532 audio_tokens_per_s=25 video_tokens_per_s=90 context_tokens=1048576 "

#define OPENAI_TILES "openai/85/170"
#define OPENAI_TILES_5 "openai/70/140"

/* The chat dialect: text-only tool messages, so media is injected after them. */
#define CHAT                                                                       \
    "dialect=openai-chat tools=yes after=next-turn sampling=yes stop=yes "         \
    "answer_schema=yes json_mode=yes answer_members=audio document_names=yes "     \
    "forced_tool_choice=yes tool_choice_none=yes single_call=yes call_ids=word40 " \
    "max_tokens_field=max_tokens "

/* Settings that others have too. */
#define PENALTIES "frequency_penalty,presence_penalty"
#define OPENAI_SETTINGS                                                                 \
    "verbosity,prompt_cache_key,prompt_cache_retention,service_tier,metadata,"          \
    "safety_identifier,user,store"

/* A model without thoughts refuses to be asked for them, in any form. */
#define UNTHINKING "sampling=yes thinking=no "

/* Models that can be told not to think, and take what others do where they are. */
#define GPT_QUIET "thinking_off=yes sampling_unthinking=yes "

/* Families that an endpoint and its sibling share. */
#define GPT_FAMILIES(endpoint, gpt5)                                                             \
    { endpoint, "gpt-4*", UNTHINKING "context_tokens=128000" },                                  \
    { endpoint, "gpt-4-*", UNTHINKING "answer_schema=no context_tokens=128000" },                \
    { endpoint, "gpt-4.1*", UNTHINKING "context_tokens=1047576" },                               \
    { endpoint, "gpt-4.1-mini*", UNTHINKING "context_tokens=1047576 "                            \
      "image_tokens=patches/32/0/1536/162" },                                                    \
    { endpoint, "gpt-4.1-nano*", UNTHINKING "context_tokens=1047576 "                            \
      "image_tokens=patches/32/0/1536/246" },                                                    \
    { endpoint, "gpt-5*", gpt5 "context_tokens=400000 image_tokens=" OPENAI_TILES_5 },           \
    { endpoint, "gpt-5-chat*", UNTHINKING "context_tokens=128000 image_tokens=" OPENAI_TILES_5 }, \
    { endpoint, "gpt-5-mini*", gpt5 "context_tokens=400000 image_tokens=patches/32/0/1536/120" }, \
    { endpoint, "gpt-5-nano*", gpt5 "context_tokens=400000 image_tokens=patches/32/0/1536/246" }, \
    { endpoint, "gpt-5.*", gpt5 GPT_QUIET "context_tokens=400000 "                               \
      "image_tokens=" OPENAI_TILES_5 },                                                          \
    { endpoint, "gpt-5.*-codex*", gpt5 "context_tokens=400000 image_tokens=" OPENAI_TILES_5 },   \
    { endpoint, "gpt-5.5*", gpt5 GPT_QUIET "context_tokens=400000 "                              \
      "image_tokens=patches/32/0/2500/120" },                                                    \
    { endpoint, "gpt-5.6*", gpt5 GPT_QUIET "context_tokens=400000 "                              \
      "image_tokens=patches/32/0/2500/120" },                                                    \
    { endpoint, "gpt-6*", gpt5 GPT_QUIET "context_tokens=400000 "                                \
      "image_tokens=patches/32/0/2500/120" },                                                    \
    { endpoint, "o1*", "single_call=no context_tokens=200000" },                                 \
    { endpoint, "o3*", "single_call=no context_tokens=200000" },                                 \
    { endpoint, "o3-mini*", "vision=no single_call=no context_tokens=200000" },                  \
    { endpoint, "o4-mini*", "single_call=no context_tokens=200000 "                              \
      "image_tokens=patches/32/0/1536/172" }

#define GEMINI_OLDER(endpoint)                                                                   \
    { endpoint, "gemini-1*", "answer_schema=no thinking=no context_tokens=1048576" },            \
    { endpoint, "gemini-2*", "context_tokens=1048576" },                                         \
    { endpoint, "gemini-2.5-flash", "thinking_off=yes context_tokens=1048576" },                 \
    { endpoint, "gemini-2.5-flash-lite*", "thinking_off=yes context_tokens=1048576" },           \
    { endpoint, "gemini-2.0*", "settings=top_k,seed," PENALTIES " thinking=no "                  \
      "context_tokens=1048576" },                                                                \
    { endpoint, "gemini-*-tts*", "vision=no native_pdf=no audio_input=no native_video=no "       \
      "audio_output=yes citations=no answer_schema=no thinking=no context_tokens=8192" }

#define GROK_FAMILIES(endpoint)                                                                  \
    { endpoint, "grok-*", "context_tokens=131072" },                                             \
    { endpoint, "grok-3*", "vision=no answer_schema=alone thinking=no context_tokens=131072" },  \
    { endpoint, "grok-3-mini*", "vision=no answer_schema=alone thinking=effort "                 \
      "context_tokens=131072" },                                                                 \
    { endpoint, "grok-4*", "stop=no thinking=always context_tokens=256000" },                    \
    { endpoint, "grok-4-fast*", "stop=no context_tokens=2000000" }

/* Messages as Anthropic takes them. */
#define ANTHROPIC_ENDPOINT                                                                   \
    "dialect=anthropic tools=yes vision=yes native_pdf=yes native_text=yes "                 \
    "image_inside=" PICTURES " image_user=" PICTURES " "                                     \
    "pdf_inside=application/pdf pdf_user=application/pdf "                                   \
    "text_inside=text/plain text_user=text/plain text_documents=yes document_names=yes "     \
    "url_inside=image,pdf url_user=image,pdf url_schemes=https,http "                        \
    "file_id_inside=image,pdf,text file_id_user=image,pdf,text "                             \
    "after=same-turn beside=image,pdf,text,office,audio,video merge_turns=yes "              \
    "prefill=trimmed "                                                                       \
    "error_text_only=yes result_status=yes sampling=no max_temperature=1 stop=yes "          \
    "stop_visible=yes flat_tools=yes forced_tool_choice=yes "                                \
    "tool_choice_none=yes single_call=yes strict_tools=yes cache_marks=yes cache_ttl=yes "   \
    "settings=top_k own_fields=yes citations=yes document_wishes=yes "                       \
    "call_ids=word64 thinking=adaptive thinking_off=yes answer_schema=yes replay=signed "    \
    "tools_required=yes output_tokens=8192 "                                                 \
    "max_images=100 max_image_base64=5242880 max_image_side=8000 many_image_side=2000 "      \
    "pages_are_images=yes "                                                                  \
    "max_body_bytes=33554432 max_pdf_pages=100 " CLAUDE_TEXT                                 \
    "image_tokens=" ANTHROPIC_IMAGE_TOKENS " page_tokens=2000 page_base_tokens=1585 "

/* LiteLLM's proxy, by the model behind it, as far as the name tells: what reached a server behind
 * version 1.106, in a user message and in a tool result. */
#define LITELLM_CLAUDE                                                                       \
    CLAUDE_TEXT BUDGET ONE_SAMPLING                                                          \
    "max_temperature=1 stop_visible=yes flat_tools=yes native_pdf=yes "                      \
    "image_inside=" PICTURES " "                                                             \
    "thinking_off=yes cache_marks=yes cache_ttl=yes "                                        \
    "reasoning_field=thinking_blocks replay=signed tools_required=yes context_tokens=200000 " \
    "page_tokens=2000 page_base_tokens=1585 "
#define LITELLM_BEDROCK                                                                      \
    "native_pdf=yes native_office=yes office_user=" BEDROCK_OFFICE " after=separated "       \
    "tool_choice_none=no tools_required=yes "                                                \
    "document_needs_text=yes max_images=20 max_image_bytes=3932160 max_image_side=8000 "     \
    "max_documents=5 max_document_bytes=4718592 max_video_bytes=26214400 "
#define LITELLM_NOVA                                                                         \
    NOVA_TEXT "image_inside=" PICTURES " native_video=yes video_field=file "                 \
    "video_user=" BEDROCK_VIDEO " context_tokens=300000 video_tokens_per_s=160 page_tokens=2600"
#define LITELLM_GEMINI                                                                       \
    GEMINI_TEXT "native_pdf=yes audio_input=yes native_video=yes video_field=file "          \
    "image_user=" GEMINI_PICTURES " audio_user=" GEMINI_AUDIO " video_user=" GEMINI_VIDEO " " \
    "image_tokens=tiles/768/258/384 page_tokens=258 audio_tokens_per_s=32 "                  \
    "video_tokens_per_s=290 context_tokens=1048576 "
#define LITELLM_GEMINI_3                                                                     \
    "image_inside=image/png,image/jpeg,image/webp pdf_inside=application/pdf "               \
    "image_tokens=fixed/1120 page_tokens=532 audio_tokens_per_s=25 video_tokens_per_s=90"
#define LITELLM_GPT                                                                          \
    GPT_TEXT "native_pdf=yes image_tokens=" OPENAI_TILES " page_tokens=900 page_base_tokens=210"
#define LITELLM_MISTRAL                                                                      \
    MISTRAL_TEXT "after=separated call_ids=alnum9 max_images=8 max_image_bytes=15728640 "    \
    "image_tokens=patches/28/1540/3025/107 context_tokens=131072 "
#define LITELLM_COHERE COHERE_TEXT "vision=no after=separated tools_required=yes max_images=20 "

const struct rf_row rf_catalogue[] = {
    { "anthropic", "*", ANTHROPIC_ENDPOINT },
    { "anthropic", "claude-*",
      NEWER_CLAUDE_TEXT NO_PREFILL "output_tokens=32000 context_tokens=200000 "
      "image_tokens=" ANTHROPIC_LARGE_IMAGE_TOKENS },
    { "anthropic", "claude-2*", "vision=no native_pdf=no citations=no document_wishes=no "
                                "thinking=no sampling=yes answer_schema=no strict_tools=no context_tokens=100000 "
                                "output_tokens=4096" },
    { "anthropic", "claude-3-*",
      "sampling=yes answer_schema=no strict_tools=no thinking=no context_tokens=200000 "
      "output_tokens=4096" },
    { "anthropic", "claude-3-7-*",
      BUDGET LONG_ANSWERS "sampling=yes answer_schema=no strict_tools=no context_tokens=200000" },
    { "anthropic", "claude-haiku-4*", BUDGET LONG_ANSWERS ONE_SAMPLING "context_tokens=200000" },
    { "anthropic", "claude-opus-4*", BUDGET LONG_ANSWERS ONE_SAMPLING "context_tokens=200000" },
    { "anthropic", "claude-opus-4-0*", CLAUDE_4 SHORT_ANSWERS },
    { "anthropic", "claude-opus-4-1*", BUDGET SHORT_ANSWERS ONE_SAMPLING "context_tokens=200000" },
    { "anthropic", "claude-opus-4-2025*", CLAUDE_4 SHORT_ANSWERS },
    { "anthropic", "claude-opus-4-6*",
      CLAUDE_4_6 LONGEST_ANSWERS ONE_SAMPLING "context_tokens=200000" },
    { "anthropic", "claude-opus-4-7*",
      NEWER_CLAUDE_TEXT NO_PREFILL LONGEST_ANSWERS
      "thinking=adaptive max_images=600 max_pdf_pages=600 "
      "context_tokens=1000000 image_tokens=" ANTHROPIC_LARGE_IMAGE_TOKENS },
    { "anthropic", "claude-opus-4-8*",
      NEWER_CLAUDE_TEXT NO_PREFILL LONGEST_ANSWERS
      "thinking=adaptive max_images=600 max_pdf_pages=600 "
      "context_tokens=1000000 image_tokens=" ANTHROPIC_LARGE_IMAGE_TOKENS },
    { "anthropic", "claude-sonnet-4*", BUDGET LONG_ANSWERS ONE_SAMPLING "context_tokens=200000" },
    { "anthropic", "claude-sonnet-4-0*", CLAUDE_4 LONG_ANSWERS },
    { "anthropic", "claude-sonnet-4-2025*", CLAUDE_4 LONG_ANSWERS },
    { "anthropic", "claude-sonnet-4-6*",
      CLAUDE_4_6 LONG_ANSWERS ONE_SAMPLING "context_tokens=200000" },

    { "bedrock", "*",
      "dialect=bedrock tools=yes vision=yes native_pdf=yes native_text=yes native_office=yes "
      "native_video=yes image_user=" PICTURES " pdf_user=application/pdf "
      "text_user=" BEDROCK_TEXT " office_user=" BEDROCK_OFFICE " video_user=" BEDROCK_VIDEO " "
      "url_user=image,pdf,text,office,video url_schemes=s3 typed_references=yes "
      "after=separated merge_turns=yes result_status=yes sampling=yes max_temperature=1 stop=yes "
      "forced_tool_choice=yes document_needs_text=yes tools_required=yes own_fields=yes "
      "call_ids=word64 max_images=20 max_image_bytes=3932160 max_image_side=8000 "
      "max_documents=5 max_document_bytes=4718592 max_video_bytes=26214400 "
      "image_tokens=" ANTHROPIC_IMAGE_TOKENS " page_tokens=2250" },
    { "bedrock", "*claude*",
      BEDROCK_CLAUDE NO_PREFILL "sampling=no thinking=adaptive min_thinking_tokens=0 "
      "answer_schema=yes cache_ttl=yes page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*anthropic.claude-opus-4-6*",
      BEDROCK_CLAUDE ONE_SAMPLING NO_PREFILL
      "answer_schema=yes cache_ttl=yes page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*anthropic.claude-sonnet-4-6*",
      BEDROCK_CLAUDE ONE_SAMPLING NO_PREFILL
      "answer_schema=yes cache_ttl=yes page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*anthropic.claude-haiku-4-5*",
      BEDROCK_CLAUDE ONE_SAMPLING LONG_ANSWERS
      "answer_schema=yes cache_ttl=yes page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*anthropic.claude-opus-4-5*",
      BEDROCK_CLAUDE ONE_SAMPLING LONG_ANSWERS
      "answer_schema=yes cache_ttl=yes page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*anthropic.claude-sonnet-4-5*",
      BEDROCK_CLAUDE ONE_SAMPLING LONG_ANSWERS
      "answer_schema=yes cache_ttl=yes page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*anthropic.claude-opus-4-1*",
      BEDROCK_CLAUDE ONE_SAMPLING SHORT_ANSWERS "page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*claude-opus-4-2025*",
      BEDROCK_CLAUDE SHORT_ANSWERS "page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*claude-sonnet-4-2025*",
      BEDROCK_CLAUDE LONG_ANSWERS "page_tokens=2000 page_base_tokens=1585" },
    { "bedrock", "*claude-3*", BEDROCK_CLAUDE BEDROCK_TEXT_PAGES },
    { "bedrock", "*claude-v2*", BEDROCK_CLAUDE BEDROCK_TEXT_PAGES },
    { "bedrock", "*claude-instant*", BEDROCK_CLAUDE BEDROCK_TEXT_PAGES },
    { "bedrock", "*nova*", NOVA "tools_tokens=360 image_tokens=fixed/1800" },
    { "bedrock", "*nova-2*", NOVA "tools_tokens=840" },
    { "bedrock", "*llama*",
      LLAMA_TEXT "image_inside=" PICTURES " pdf_inside=application/pdf "
      "text_inside=" BEDROCK_TEXT " office_inside=" BEDROCK_OFFICE },
    { "bedrock", "*pixtral*",
      MISTRAL_TEXT BEDROCK_TEXT_PAGES "image_tokens=" PIXTRAL_IMAGE_TOKENS " "
      "pdf_inside=application/pdf text_inside=" BEDROCK_TEXT " office_inside=" BEDROCK_OFFICE },
    { "bedrock", "*mistral*",
      MISTRAL_TEXT BEDROCK_TEXT_PAGES "pdf_inside=application/pdf text_inside=" BEDROCK_TEXT " "
      "office_inside=" BEDROCK_OFFICE },
    { "bedrock", "*writer*",
      "pdf_inside=application/pdf text_inside=" BEDROCK_TEXT " office_inside=" BEDROCK_OFFICE " "
      "native_video=no result_status=no" },
    { "bedrock", "*qwen*", "answer_schema=yes" },
    { "bedrock", "*kimi*", "answer_schema=yes" },
    { "bedrock", "*gemma*", "answer_schema=yes" },
    { "bedrock", "*gpt-oss*", "answer_schema=yes" },

    { "google", "*",
      GEMINI_ENDPOINT "max_stops=5 url_user=image,pdf,text,audio,video url_schemes=https "
                      "file_id_user=image,pdf,text,audio,video" },
    GEMINI_OLDER("google"),
    { "google", "gemini-3*", GEMINI_3 "sealed_bytes=4" },
    { "google", "gemini-3-pro*", GEMINI_3 "thinking=level sealed_bytes=4" },
    { "google", "gemini-4*", GEMINI_3 "sealed_bytes=4" },

    { "vertex", "*",
      GEMINI_ENDPOINT "max_stops=16 url_user=image,pdf,text,audio,video url_schemes=https,gs "
                      "typed_references=yes" },
    GEMINI_OLDER("vertex"),
    { "vertex", "gemini-3*", GEMINI_3 "url_inside=image,pdf,text" },
    { "vertex", "gemini-3-pro*", GEMINI_3 "thinking=level url_inside=image,pdf,text" },
    { "vertex", "gemini-4*", GEMINI_3 "url_inside=image,pdf,text" },

    { "openai", "*",
      "dialect=openai-responses tools=yes vision=yes native_pdf=yes native_text=yes "
      "native_office=yes "
      "image_inside=" PICTURES " image_user=" PICTURES " "
      "pdf_inside=application/pdf pdf_user=application/pdf "
      "text_inside=text/*,application/json text_user=text/*,application/json "
      "office_inside=" WORD_NEW "," SHEET_NEW "," SLIDES_NEW "," WORD_OLD "," SHEET_OLD ","
      SLIDES_OLD ",application/rtf,application/vnd.oasis.opendocument.text "
      "office_user=" WORD_NEW "," SHEET_NEW "," SLIDES_NEW "," WORD_OLD "," SHEET_OLD ","
      SLIDES_OLD ",application/rtf,application/vnd.oasis.opendocument.text "
      "url_inside=image,pdf,text,office url_user=image,pdf,text,office url_schemes=https,http "
      "file_id_inside=image,pdf,text,office file_id_user=image,pdf,text,office "
      "document_names=yes after=next-turn sampling=no forced_tool_choice=yes tool_choice_none=yes "
      "single_call=yes allowed_tools=yes strict_tools=yes flat_tools=yes call_ids=any64 "
      "thinking=effort "
      "answer_schema=yes json_mode=yes json_in_message=yes system_turns=yes own_fields=yes "
      "citations=yes settings=" OPENAI_SETTINGS " "
      "replay=encrypted max_images=500 max_image_bytes=52428800 max_body_bytes=52428800 "
      "max_document_bytes=52428800 min_output_tokens=16 " GPT_TEXT
      "image_tokens=" OPENAI_TILES " page_tokens=700 page_base_tokens=10 sealed_bytes=16" },
    GPT_FAMILIES("openai", ""),

    { "openai-chat", "*",
      CHAT "vision=yes native_pdf=yes image_user=" PICTURES " pdf_user=application/pdf "
           "audio_user=audio/wav,audio/mpeg url_user=image url_schemes=https,http "
           "file_id_user=pdf max_tokens_field=max_completion_tokens stream_usage=yes "
           "system_turns=yes system_alone=yes allowed_tools=yes strict_tools=yes "
           "flat_tools=yes "
           "settings=seed," PENALTIES ",logit_bias," OPENAI_SETTINGS " max_stops=4 "
           "sampling=no thinking=effort max_images=500 max_image_bytes=52428800 "
           "max_body_bytes=52428800 max_document_bytes=52428800 " GPT_TEXT
           "image_tokens=" OPENAI_TILES " page_tokens=900 page_base_tokens=210 "
           "audio_tokens_per_s=10" },
    GPT_FAMILIES("openai-chat", "tools_tokens=90 "),
    { "openai-chat", "gpt-3.5*", "vision=no native_pdf=no strict_tools=no sampling=yes thinking=no "
                                 "answer_schema=no context_tokens=16385" },
    { "openai-chat", "*-audio*", "vision=no native_pdf=no audio_input=yes audio_output=yes "
                                 "sampling=yes answer_schema=no thinking=no "
                                 "context_tokens=128000" },
    { "openai-chat", "*-search-*", "vision=no native_pdf=no citations=yes sampling=no thinking=no "
                                   "context_tokens=128000" },

    { "xai", "*",
      "dialect=openai-responses tools=yes vision=yes native_pdf=yes "
      "image_inside=image/png,image/jpeg,image/webp image_user=image/png,image/jpeg,image/webp "
      "pdf_user=application/pdf reference_only=pdf url_inside=image url_user=image,pdf "
      "url_schemes=https,http file_id_user=pdf document_names=yes after=next-turn sampling=yes "
      "forced_tool_choice=yes tool_choice_none=yes single_call=yes call_ids=any64 "
      "answer_schema=yes json_mode=yes json_in_message=yes replay=encrypted citations=yes "
      "max_images=100 "
      "max_image_bytes=10485760 " GPT_TEXT
      "image_tokens=" OPENAI_TILES " page_tokens=1100" },
    GROK_FAMILIES("xai"),

    { "xai-chat", "*",
      CHAT "vision=yes image_user=image/png,image/jpeg,image/webp url_user=image "
           "url_schemes=https,http reasoning_field=reasoning_content replay=text "
           "stream_usage=yes settings=seed call_ids=own40 "
           "max_images=100 max_image_bytes=10485760 " GPT_TEXT
           "image_tokens=" OPENAI_TILES " page_tokens=1100" },
    GROK_FAMILIES("xai-chat"),

    { "groq", "*",
      CHAT "image_user=" PICTURES " url_user=image url_schemes=https,http "
           "max_tokens_field=max_completion_tokens reasoning_field=reasoning replay=text "
           "settings=seed," PENALTIES ",user max_stops=4 "
           "answer_schema=no json_mode=alone call_ids=own40 "
           "max_images=5 max_image_bytes=4194304 max_image_pixels=33177600 "
           "max_body_bytes=4194304 " LLAMA_TEXT "image_tokens=" OPENAI_TILES " page_tokens=1100" },
    { "groq", "*llama-4*", "tools_tokens=665 vision=yes context_tokens=131072" },
    { "groq", "*vision*", "vision=yes" },
    { "groq", "*llava*", "vision=yes" },
    { "groq", "*gpt-oss*",
      GPT_TEXT "answer_schema=alone request_tokens=70 thinking=effort context_tokens=131072" },
    { "groq", "llama-*", "context_tokens=131072" },
    { "groq", "*qwen*", "context_tokens=131072" },
    { "groq", "*qwen3*", "thinking=always context_tokens=131072" },
    { "groq", "*qwen-qwq*", "thinking=always context_tokens=131072" },
    { "groq", "*deepseek-r1*", "thinking=always context_tokens=131072" },

    { "openrouter", "*",
      CHAT "vision=yes native_pdf=yes audio_input=yes native_video=yes image_user=" PICTURES " "
           "pdf_user=application/pdf audio_user=audio/wav,audio/mpeg,audio/flac,audio/mp4,"
           "audio/ogg,audio/aiff,audio/aac video_user=video/mp4,video/mpeg,video/webm "
           "url_user=image,pdf,video url_schemes=https,http "
           "stream_usage=yes reasoning_field=reasoning_details replay=text thinking=budget "
           "thinking_off=yes call_ids=own40 settings=top_k,seed," PENALTIES ",verbosity,user "
           "citations=yes max_images=100 "
           "image_tokens=" ANTHROPIC_IMAGE_TOKENS " page_tokens=1500 "
           "audio_tokens_per_s=32 video_tokens_per_s=263" },
    { "openrouter", "anthropic/*", CLAUDE_TEXT "min_thinking_tokens=1024 cache_marks=yes "
                                   "cache_texts=yes cache_ttl=yes context_tokens=200000" },
    { "openrouter", "google/*",
      GEMINI_TEXT "settings=top_k,seed,verbosity,user context_tokens=1048576 "
                  "image_tokens=tiles/768/258/384" },
    { "openrouter", "openai/gpt-*audio*", GPT_TEXT "vision=no native_pdf=no native_video=no "
                                         "audio_output=yes thinking=no context_tokens=128000" },
    { "openrouter", "openai/*", GPT_TEXT "context_tokens=400000 image_tokens=" OPENAI_TILES_5 },

    { "mistral", "*",
      "dialect=mistral tools=yes vision=yes native_pdf=yes image_inside=" PICTURES " "
      "image_user=" PICTURES " "
      "pdf_inside=application/pdf pdf_user=application/pdf "
      "url_inside=image,pdf url_user=image,pdf url_schemes=https,http "
      "after=separated prefill=marked sampling=yes stop=yes forced_tool_choice=yes "
      "tool_choice_none=yes single_call=yes strict_tools=yes call_ids=alnum9 answer_schema=yes "
      "json_mode=yes replay=text citations=yes settings=seed," PENALTIES ",prompt_cache_key "
      "max_tokens_field=max_tokens max_images=8 max_image_bytes=15728640 " MISTRAL_TEXT
      "image_tokens=patches/28/1540/3025/107 page_tokens=900 page_base_tokens=10" },
    { "mistral", "mistral-*", "context_tokens=131072" },
    { "mistral", "pixtral-*", "image_tokens=" PIXTRAL_IMAGE_TOKENS " context_tokens=131072" },
    { "mistral", "magistral-*", "thinking=always context_tokens=131072" },
    { "mistral", "codestral*", "vision=no native_pdf=no context_tokens=262144" },

    { "cohere", "*",
      "dialect=cohere tools=yes image_user=image/png,image/jpeg,image/webp url_user=image "
      "url_schemes=https,http after=separated merge_turns=yes prefill=no sampling=yes stop=yes "
      "forced_tool_choice=yes tool_choice_none=yes tools_required=yes own_fields=yes "
      "citations=yes call_ids=word64 answer_schema=alone json_mode=alone replay=text "
      "settings=top_k,seed," PENALTIES " max_stops=5 "
      "max_images=20 "
      "max_image_bytes=20971520 "
      "max_body_bytes=20971520 " COHERE_TEXT "image_tokens=patches/32/0/2560/130" },
    { "cohere", "command-a*", "thinking=no context_tokens=256000" },
    { "cohere", "command-a-plus*",
      "vision=yes thinking=budget thinking_off=yes context_tokens=128000" },
    { "cohere", "command-a-reasoning*",
      "thinking=budget thinking_off=yes request_tokens=1400 context_tokens=256000" },
    { "cohere", "command-a-translate*", "thinking=no context_tokens=8000" },
    { "cohere", "command-a-vision*", "vision=yes thinking=no context_tokens=128000" },
    { "cohere", "command-r*", "forced_tool_choice=no tool_choice_none=no thinking=no "
                              "request_tokens=60 context_tokens=128000" },
    { "cohere", "command-r7b*", "thinking=no context_tokens=128000" },
    { "cohere", "*aya-expanse-32b*", "thinking=no citations=no context_tokens=128000" },
    { "cohere", "*aya-expanse-8b*", "thinking=no citations=no context_tokens=8000" },
    { "cohere", "*aya-vision*", "vision=yes thinking=no citations=no context_tokens=16000" },
    { "cohere", "*vision*", "vision=yes" },

    { "ollama", "*",
      "dialect=ollama server=ollama usual_context_tokens=4096 tools=yes "
      "image_inside=image/png,image/jpeg,image/webp "
      "image_user=image/png,image/jpeg,image/webp audio_inside=audio/wav,audio/mpeg "
      "audio_user=audio/wav,audio/mpeg after=next-turn sampling=yes stop=yes "
      "call_ids=any answer_schema=alone json_mode=alone replay=text "
      "settings=top_k,seed," PENALTIES " " LLAMA_TEXT
      "image_tokens=fixed/768" },
    { "ollama", "*llava*", "vision=yes" },
    { "ollama", "*vision*", "vision=yes" },
    { "ollama", "*-vl*", "vision=yes" },
    { "ollama", "*vl:*", "vision=yes" },
    { "ollama", "*moondream*", "vision=yes" },
    { "ollama", "*smolvlm*", "vision=yes" },
    { "ollama", "*internvl*", "vision=yes" },
    { "ollama", "*pixtral*", "vision=yes" },
    { "ollama", "*minicpm-v*", "vision=yes" },
    { "ollama", "gemma3*", "vision=yes" },
    { "ollama", "gemma3n*", "vision=no" },
    { "ollama", "*medgemma*", "vision=yes" },
    { "ollama", "*translategemma*", "vision=yes" },
    { "ollama", "gemma4*", "vision=yes audio_input=yes" },
    { "ollama", "llama4*", "vision=yes" },
    { "ollama", "mistral-small3*", "vision=yes" },
    { "ollama", "qwen2.5vl*", "vision=yes" },
    { "ollama", "qwen3-vl*", "vision=yes thinking=switch thinking_off=yes" },
    { "ollama", "qwen3*", "thinking=switch thinking_off=yes" },
    { "ollama", "qwen3-coder*", "thinking=no" },
    { "ollama", "*qwq*", "thinking=always" },
    { "ollama", "*magistral*", "thinking=switch thinking_off=yes" },
    { "ollama", "*deepseek-v3.1*", "thinking=switch thinking_off=yes" },
    { "ollama", "gpt-oss*", "thinking=effort" },
    { "ollama", "deepseek-r1*", "thinking=switch thinking_off=yes" },

    { "litellm", "*",
      CHAT "vision=yes image_user=" PICTURES " pdf_user=application/pdf "
           "audio_user=audio/wav,audio/mpeg video_user=video/mp4 url_user=image "
           "url_schemes=https,http stream_usage=yes reasoning_field=received replay=text "
           "call_ids=sealed "
           "image_tokens=" ANTHROPIC_IMAGE_TOKENS " page_tokens=2250" },
    { "litellm", "*claude*", LITELLM_CLAUDE "pdf_inside=application/pdf" },
    { "litellm", "*bedrock*", LITELLM_BEDROCK },
    { "litellm", "*bedrock*claude*", LITELLM_BEDROCK LITELLM_CLAUDE },
    { "litellm", "*anthropic.claude*", LITELLM_BEDROCK LITELLM_CLAUDE },
    { "litellm", "*bedrock*nova*", LITELLM_BEDROCK LITELLM_NOVA },
    { "litellm", "*amazon.nova*", LITELLM_BEDROCK LITELLM_NOVA },
    { "litellm", "*bedrock*llama*", LITELLM_BEDROCK LLAMA_TEXT "image_inside=" PICTURES },
    { "litellm", "*gemini*", LITELLM_GEMINI },
    { "litellm", "*gemini-3*", LITELLM_GEMINI LITELLM_GEMINI_3 },
    { "litellm", "*gemini-4*", LITELLM_GEMINI LITELLM_GEMINI_3 },
    { "litellm", "gpt-*", LITELLM_GPT },
    { "litellm", "gpt-oss*", GPT_TEXT "vision=no" },
    { "litellm", "openai/gpt-*", LITELLM_GPT },
    { "litellm", "*gpt-*audio*", GPT_TEXT "vision=no audio_input=yes audio_tokens_per_s=10" },
    { "litellm", "mistral/*", LITELLM_MISTRAL },
    { "litellm", "mistral-*", LITELLM_MISTRAL },
    { "litellm", "ministral-*", LITELLM_MISTRAL },
    { "litellm", "magistral-*", LITELLM_MISTRAL },
    { "litellm", "pixtral-*", LITELLM_MISTRAL "image_tokens=" PIXTRAL_IMAGE_TOKENS },
    { "litellm", "*codestral*", LITELLM_MISTRAL "vision=no" },
    { "litellm", "cohere*/*", LITELLM_COHERE },
    { "litellm", "command-*", LITELLM_COHERE },
    { "litellm", "*command-a-plus*", LITELLM_COHERE "vision=yes" },
    { "litellm", "*command-a-vision*", LITELLM_COHERE "vision=yes" },
    { "litellm", "groq/*", LLAMA_TEXT "vision=no" },
    { "litellm", "groq/*llama-4*", LLAMA_TEXT "max_images=5 max_image_bytes=4194304 "
                                   "context_tokens=131072" },
    { "litellm", "*grok-3*", GPT_TEXT "vision=no context_tokens=131072" },
    { "litellm", "deepseek/*", "vision=no" },
    { "litellm", "ollama*/*", LLAMA_TEXT "vision=no" },
    { "litellm", "ollama*/*llava*", LLAMA_TEXT },
    { "litellm", "ollama*/*vision*", LLAMA_TEXT },
    { "litellm", "ollama*/*vl*", LLAMA_TEXT },
    { "litellm", "ollama*/gemma3*", LLAMA_TEXT },
    { "litellm", "*openrouter*", "native_pdf=yes audio_input=yes native_video=yes" },

    { "openai-compatible", "*",
      CHAT "vision=yes image_user=" PICTURES " pdf_user=application/pdf "
           "audio_user=audio/wav,audio/mpeg url_user=image url_schemes=https,http "
           "system_alone=yes stream_usage=yes reasoning_field=received replay=text "
           "call_ids=sealed settings=seed," PENALTIES " "
           "image_tokens=" ANTHROPIC_IMAGE_TOKENS " page_tokens=2250" },
    { "openai-compatible", "*qwq*", "vision=no thinking=always" },

    { "offline", "*", ANTHROPIC_ENDPOINT "url_inside=- url_user=- file_id_inside=- file_id_user=- "
                      "sampling=yes thinking=no" },
    { "offline", "offline", "context_tokens=200000" },
};

const size_t rf_catalogue_count = sizeof rf_catalogue / sizeof *rf_catalogue;

/* What hosts show to their models of a result: pictures, in their places. Sound and documents they
 * save, leave out or write as base64 into the text; links they do not follow. Measured with
 * Claude Code 2.1, Codex 0.166, Gemini CLI 0.61 and opencode 1.18, else by their sources and
 * reports:
 *  - Claude Desktop refuses results over 1 MB, others get the same by default;
 *  - Claude Code saves more than 50,000 bytes of text to a file, Codex cuts at about 12,000;
 *  - Claude Code shrinks pictures over 2,000 pixels a side, Codex to 1,824;
 *  - Gemini CLI hands pictures and PDFs on to Gemini, and takes sound and film out;
 *  - hosts that use the official SDK close the connection at a line of 10 MiB. */
#define HOST_PICTURES                                                                        \
    "dialect=mcp tools=yes result_status=yes call_ids=any told_first=yes page_text=yes "     \
    "vision=yes image_inside=" PICTURES " max_body_bytes=921600 max_text_bytes=40960 "       \
    "max_image_side=1568 min_page_base64=131072 "

const struct rf_row rf_hosts[] = {
    { "mcp", "*", HOST_PICTURES },
    { "mcp", "claude-code*", "max_image_side=2000" },
    { "mcp", "claude-desktop*", "max_image_side=1568" },
    { "mcp", "claude-ai*", "max_image_side=1568" }, /* as Claude Desktop calls itself */
    { "mcp", "codex*", "max_image_side=1824 max_text_bytes=11264" },
    { "mcp", "gemini-cli*",
      "native_pdf=yes pdf_inside=application/pdf image_inside=" GEMINI_PICTURES
      " max_image_side=3072 max_pdf_pages=1000" }, /* it takes sound and film out of results */
    { "mcp", "goose*", "" },
    { "mcp", "vscode*", "" },
    { "mcp", "visual studio code*", "" }, /* as VS Code calls itself */
    { "mcp", "opencode*", "max_image_side=2000" },
    { "mcp", "openai-agents*", "" },
};

const size_t rf_host_rows = sizeof rf_hosts / sizeof *rf_hosts;

/* What Ollama takes of the APIs of others: text and pictures as bytes. Of chat completions and
 * Responses it refuses all else ("invalid message format", "unknown content type"), and lists in
 * results; of Messages it passes over documents, and pictures inside results, with a 200. */
#define OLLAMA_SURFACE                                                                       \
    "native_pdf=no native_text=no native_office=no audio_input=no native_video=no "          \
    "image_inside=- pdf_inside=- text_inside=- office_inside=- audio_inside=- "              \
    "url_inside=- url_user=- file_id_inside=- file_id_user=- text_documents=no "             \
    "usual_context_tokens=4096"

const struct rf_surface rf_surfaces[] = {
    { "ollama", "openai-chat", OLLAMA_SURFACE },
    { "ollama", "openai-responses", OLLAMA_SURFACE },
    { "ollama", "anthropic", OLLAMA_SURFACE },
};

const size_t rf_surface_count = sizeof rf_surfaces / sizeof *rf_surfaces;
