/* Settings as the model takes them, and the notices of those that it does not. */
#include "base/json_write.h"
#include "show.h"

#define BASE "openai-compatible:x"
/* A model with a budget, as one endpoint has it, whatever its row says. */
#define BUDGET " thinking=budget min_thinking_tokens=1024 sampling=yes forced_tool_choice=yes"

static const char *const choices[] = { "unset", "auto", "none", "required", "tool" };

static const struct row {
    const char *name, *model, *options;
    const char *want; /* max, thinking, temperature, top_p, stop, choice, tools, "single", "json",
                       * schema,
                       * allowed tools;
                       * then the notices */
} rows[] = {
    { "nothing asked for", BASE, "", "0 0 - - - unset 0" },
    { "an output limit", BASE, "'options':{'max_tokens':100}", "100 0 - - - unset 0" },
    { "the endpoint's output limit, where a request must say", BASE " output_tokens=8192", "",
      "8192 0 - - - unset 0" },
    { "the asked one wins", BASE " output_tokens=8192", "'options':{'max_tokens':100}",
      "100 0 - - - unset 0" },
    { "an answer that is longer than the model's", BASE " max_output_tokens=4096",
      "'options':{'max_tokens':9000}",
      "4096 0 - - - unset 0|max_tokens is 4096: openai-compatible:x does not take more" },
    { "an answer as long as the window", BASE " context_tokens=8000",
      "'options':{'max_tokens':8000}",
      "4000 0 - - - unset 0|max_tokens is 4000: openai-compatible:x has no larger window to answer "
      "in" },
    { "a usual one that is", BASE " context_tokens=8000 output_tokens=9000", "'options':{}",
      "4000 0 - - - unset 0" },
    { "one that leaves an eighth of it", BASE " context_tokens=8000",
      "'options':{'max_tokens':7000}", "7000 0 - - - unset 0" },
    { "one that leaves less", BASE " context_tokens=8000", "'options':{'max_tokens':7001}",
      "4000 0 - - - unset 0|max_tokens is 4000: openai-compatible:x has no larger window to answer "
      "in" },
    { "the endpoint's output limit is lowered in silence",
      BASE " output_tokens=8192 max_output_tokens=4096", "", "4096 0 - - - unset 0" },
    { "the longest answer, where a request must say",
      BASE " output_tokens=8192 max_output_tokens=64000", "", "64000 0 - - - unset 0" },
    { "the longest answer that the window has room for",
      BASE " output_tokens=8192 max_output_tokens=64000 context_tokens=20000", "",
      "19998 0 - - - unset 0" },
    { "an answer that is shorter than the model's", BASE " min_output_tokens=16",
      "'options':{'max_tokens':1}",
      "16 0 - - - unset 0|max_tokens is 16: openai-compatible:x does not take less" },
    { "one as short as the model's", BASE " min_output_tokens=16", "'options':{'max_tokens':16}",
      "16 0 - - - unset 0" },
    { "the longest answer is not asked for unasked", BASE " max_output_tokens=4096", "",
      "0 0 - - - unset 0" },
    { "sampling as spelled", BASE " sampling=yes", "'options':{'temperature':0.10,'top_p':1e0}",
      "0 0 0.10 1e0 - unset 0" },
    { "sampling that is refused", BASE " sampling=no", "'options':{'temperature':0.10,'top_p':1e0}",
      "0 0 - - - unset 0|temperature was left out: openai-compatible:x does not take it|top_p was "
      "left out: openai-compatible:x does not take it" },
    { "a temperature over the most that is taken", BASE " sampling=yes max_temperature=1",
      "'options':{'temperature':1.7}",
      "0 0 1 - - unset 0|temperature is 1: openai-compatible:x does not take more" },
    { "the most that is taken", BASE " sampling=yes max_temperature=1",
      "'options':{'temperature':1.0,'top_p':0.5}", "0 0 1.0 0.5 - unset 0" },
    { "two ways to draw of which one is taken", BASE " sampling=yes one_sampling=yes",
      "'options':{'temperature':0.5,'top_p':0.9}",
      "0 0 0.5 - - unset 0|top_p was left out: openai-compatible:x does not take it with a "
      "temperature" },
    { "of which one says nothing", BASE " sampling=yes one_sampling=yes",
      "'options':{'temperature':1,'top_p':0.9}", "0 0 - 0.9 - unset 0" },
    { "of which the other says nothing", BASE " sampling=yes one_sampling=yes",
      "'options':{'temperature':0,'top_p':1.0}", "0 0 0 - - unset 0" },
    { "one way to draw, where one is taken", BASE " sampling=yes one_sampling=yes",
      "'options':{'top_p':0.9}", "0 0 - 0.9 - unset 0" },
    { "a temperature alone that is refused", BASE " sampling=no", "'options':{'temperature':0}",
      "0 0 - - - unset 0|temperature was left out: openai-compatible:x does not take it" },
    { "sampling that is refused with thinking, without", BASE " sampling=no thinking=effort "
      "thinking_off=yes sampling_unthinking=yes",
      "'options':{'temperature':0.10,'top_p':1e0,'thinking':{'off':true}}",
      "0 off 0.10 1e0 - unset 0" },
    { "sampling that is refused with thinking, with it", BASE " sampling=no thinking=effort "
      "thinking_off=yes sampling_unthinking=yes",
      "'options':{'temperature':0.10}",
      "0 0 - - - unset 0|temperature was left out: openai-compatible:x does not take it with "
      "thinking" },
    { "thinking", BASE BUDGET, "'options':{'max_tokens':9000,'thinking':{'budget_tokens':2048}}",
      "9000 2048 - - - unset 0" },
    { "thinking without a number has the least", BASE BUDGET,
      "'options':{'max_tokens':9000,'thinking':{}}", "9000 1024 - - - unset 0" },
    { "thinking below the least is raised", BASE BUDGET,
      "'options':{'max_tokens':9000,'thinking':{'budget_tokens':5}}", "9000 1024 - - - unset 0" },
    { "thinking stays below the output limit", BASE BUDGET,
      "'options':{'max_tokens':2000,'thinking':{'budget_tokens':4096}}",
      "2000 1500 - - - unset 0" },
    { "thinking that the client counted itself", BASE BUDGET,
      "'options':{'max_tokens':2000,'thinking':{'budget_tokens':1999}}",
      "2000 1999 - - - unset 0" },
    { "a level leaves a quarter for the answer", BASE BUDGET,
      "'options':{'max_tokens':4000,'thinking':{'level':'high'}}", "4000 3000 - - - unset 0" },
    { "the least goes before the quarter", BASE BUDGET,
      "'options':{'max_tokens':1200,'thinking':{'level':'high'}}", "1200 1024 - - - unset 0" },
    { "thinking where no limit was set has the model's",
      BASE BUDGET " output_tokens=8192 max_output_tokens=64000",
      "'options':{'thinking':{'level':'high'}}", "64000 24576 - - - unset 0" },
    { "thinking where no limit was set, nor is the model's known",
      BASE BUDGET " output_tokens=8192", "'options':{'thinking':{'level':'high'}}",
      "8192 6144 - - - unset 0" },
    { "thinking without room for the least", BASE BUDGET,
      "'options':{'max_tokens':1024,'thinking':{'budget_tokens':4096}}",
      "1024 0 - - - unset 0|thinking was left out: openai-compatible:x needs a larger max_tokens "
      "for it" },
    { "thinking without any room, where there is no least", BASE " thinking=budget",
      "'options':{'max_tokens':1,'thinking':{'budget_tokens':4096}}",
      "1 0 - - - unset 0|thinking was left out: openai-compatible:x needs a larger max_tokens for "
      "it" },
    { "thinking that cannot be asked for", BASE " thinking=none", "'options':{'thinking':{}}",
      "0 0 - - - unset 0|thinking was left out: openai-compatible:x cannot be asked for it" },
    { "a model that does not think", BASE " thinking=no", "'options':{'thinking':{}}",
      "0 0 - - - unset 0|thinking was left out: openai-compatible:x does not think" },
    { "a model that thinks unasked", BASE " thinking=always", "'options':{'thinking':{}}",
      "0 0 - - - unset 0" },
    { "thinking that takes no number has no limit", BASE " thinking=adaptive",
      "'options':{'max_tokens':100,'thinking':{'budget_tokens':4096}}", "100 4096 - - - unset 0" },
    { "a level is a budget", BASE BUDGET,
      "'options':{'max_tokens':12000,'thinking':{'level':'medium'}}", "12000 8192 - - - unset 0" },
    { "a budget that a model decides alone", BASE " thinking=switch",
      "'options':{'thinking':{'budget_tokens':4096}}",
      "0 4096 - - - unset 0|how much to think was left out: openai-compatible:x decides that "
      "alone" },
    { "a level of a model that thinks unasked", BASE " thinking=always",
      "'options':{'thinking':{'level':'low'}}",
      "0 0 - - - unset 0|how much to think was left out: openai-compatible:x decides that alone" },
    { "no thinking", BASE " thinking=budget thinking_off=yes",
      "'options':{'thinking':{'off':true}}", "0 off - - - unset 0" },
    { "no thinking by a model that never does", BASE " thinking=no",
      "'options':{'thinking':{'off':true}}", "0 0 - - - unset 0" },
    { "no thinking by a model that never does, of a family that can be told not to",
      BASE " thinking=no thinking_off=yes", "'options':{'thinking':{'off':true}}",
      "0 0 - - - unset 0" },
    { "no thinking where it cannot be turned off is little", BASE " thinking=effort",
      "'options':{'thinking':{'off':true}}",
      "0 1024 - - - unset 0|turning thinking off was left out: openai-compatible:x cannot be told "
      "not to think, and is asked for little" },
    { "no thinking by a model that only its own client knows", "openai:x from=openai-responses",
      "'options':{'thinking':{'off':true}}", "0 off - - - unset 0" },
    { "no thinking by a model that the client of another API knows", "openai:x from=anthropic",
      "'options':{'thinking':{'off':true}}",
      "0 1024 - - - unset 0|turning thinking off was left out: openai:x cannot be told not to "
      "think, and is asked for little" },
    { "no thinking by a model that always does", BASE " thinking=always",
      "'options':{'thinking':{'off':true}}",
      "0 0 - - - unset 0|turning thinking off was left out: openai-compatible:x cannot be told "
      "not to think" },
    { "a schema", BASE " answer_schema=alone", "'options':{'schema':{}}", "0 0 - - - unset 0 {}" },
    { "a schema beside tools", BASE " answer_schema=yes",
      "'tools':[{'name':'a'}],'options':{'schema':{}}", "0 0 - - - unset 1 {}" },
    { "a schema that tools forbid", BASE " answer_schema=alone",
      "'tools':[{'name':'a'}],'options':{'schema':{}}",
      "0 0 - - - unset 1|the schema is sent as words: openai-compatible:x takes none with tools; "
      "the answer is checked against it" },
    { "a schema that is refused", BASE " answer_schema=no", "'options':{'schema':{}}",
      "0 0 - - - unset 0|the schema is sent as words: openai-compatible:x does not take one; the "
      "answer is checked against it" },
    { "a budget and sampling do not go together", BASE BUDGET,
      "'options':{'max_tokens':9000,'temperature':1,'thinking':{}}",
      "9000 1024 - - - unset 0|temperature was left out: openai-compatible:x does not take it with "
      "thinking" },
    { "a budget and a forced call do not go together", BASE BUDGET,
      "'tools':[{'name':'a'}],'tool_choice':'required','options':{'max_tokens':9000,'thinking':{}}",
      "9000 1024 - - - auto 1|the forced tool choice was left out: openai-compatible:x does not "
      "take it with thinking" },
    { "a forced call and thinking that is left to the model", BASE BUDGET " thinking_adaptive=yes",
      "'tools':[{'name':'a'}],'tool_choice':'required','options':{'max_tokens':1000,'thinking':{}}",
      "1000 1024 - - - required 1" },
    { "a forced call and a number of tokens, all the same", BASE BUDGET " thinking_adaptive=yes",
      "'tools':[{'name':'a'}],'tool_choice':'required','options':{'max_tokens':9000,"
      "'thinking':{'budget_tokens':2048}}",
      "9000 2048 - - - auto 1|the forced tool choice was left out: openai-compatible:x does not "
      "take it with thinking" },
    { "sampling and thinking that is left to the model", BASE BUDGET " thinking_adaptive=yes",
      "'options':{'temperature':0,'thinking':{'level':'high'}}",
      "0 24576 - - - unset 0|temperature was left out: openai-compatible:x does not take it with "
      "thinking" },
    { "tool choices", BASE, "'tools':[{'name':'a'}],'tool_choice':'auto'", "0 0 - - - auto 1" },
    { "a forced call", BASE " forced_tool_choice=yes",
      "'tools':[{'name':'a'}],'tool_choice':'required'", "0 0 - - - required 1" },
    { "one tool", BASE " forced_tool_choice=yes",
      "'tools':[{'name':'a'}],'tool_choice':{'name':'a'}", "0 0 - - - tool 1" },
    { "a forced call that is refused", BASE " forced_tool_choice=no",
      "'tools':[{'name':'a'}],'tool_choice':{'name':'a'}",
      "0 0 - - - auto 1|the forced tool choice was left out: openai-compatible:x does not take "
      "it" },
    { "a choice without tools is none", BASE, "'tool_choice':'required'", "0 0 - - - unset 0" },
    { "no calls, said", BASE " tool_choice_none=yes", "'tools':[{'name':'a'}],'tool_choice':'none'",
      "0 0 - - - none 1" },
    { "no calls, by offering no tools", BASE " tool_choice_none=no",
      "'tools':[{'name':'a'}],'tool_choice':'none'", "0 0 - - - unset 0" },
    { "no calls, where tools must be offered", BASE " tool_choice_none=no tools_required=yes",
      "'tools':[{'name':'a'}],'tool_choice':'none'",
      "0 0 - - - unset 1|the tool choice \"none\" was left out: openai-compatible:x does not take "
      "it" },
    { "no calls, beside a schema that tools forbid",
      BASE " tool_choice_none=yes answer_schema=alone",
      "'tools':[{'name':'a'}],'tool_choice':'none','options':{'schema':{}}",
      "0 0 - - - unset 0 {}" },
    { "a model without tools", BASE " tools=no", "'tools':[{'name':'a'}],'tool_choice':'auto'",
      "0 0 - - - unset 0|the offer of tools was left out: openai-compatible:x does not take them" },
    { "a model without tools, and none", BASE " tools=no", "", "0 0 - - - unset 0" },
    { "some tools of several, said", BASE " allowed_tools=yes",
      "'tools':[{'name':'a'},{'name':'b'}],'options':{'allowed_tools':['b','z']}",
      "0 0 - - - unset 2 b" },
    { "some tools of several, by offering no others", BASE " allowed_tools=no",
      "'tools':[{'name':'a'},{'name':'b'}],'tool_choice':'auto','options':{'allowed_tools':['b']}",
      "0 0 - - - auto 1" },
    { "some that can only be said where a call is required", BASE " allowed_tools=forced",
      "'tools':[{'name':'a'},{'name':'b'}],'options':{'allowed_tools':['b']}",
      "0 0 - - - unset 1" },
    { "the same, and one is", BASE " allowed_tools=forced",
      "'tools':[{'name':'a'},{'name':'b'}],'tool_choice':'required',"
      "'options':{'allowed_tools':['b']}",
      "0 0 - - - required 2 b" },
    { "none of those there are", BASE " allowed_tools=no",
      "'tools':[{'name':'a'}],'options':{'allowed_tools':['z']}", "0 0 - - - unset 0" },
    { "some tools, and no call", BASE " allowed_tools=no",
      "'tools':[{'name':'a'},{'name':'b'}],'tool_choice':'none','options':{'allowed_tools':['b']}",
      "0 0 - - - none 2" },
    { "JSON without a schema", BASE " json_mode=alone", "'options':{'json':true}",
      "0 0 - - - unset 0 json" },
    { "JSON without a schema that a message must ask for", BASE " json_mode=yes json_in_message=yes",
      "'system':'Answer in JSON.','options':{'json':true}", "0 0 - - - unset 0 json said" },
    { "JSON without a schema that tools forbid", BASE " json_mode=alone",
      "'tools':[{'name':'a'}],'options':{'json':true}",
      "0 0 - - - unset 1|JSON is asked for in words: openai-compatible:x takes no other wish for it "
      "with tools" },
    { "JSON without a schema that is refused", BASE " json_mode=no", "'options':{'json':true}",
      "0 0 - - - unset 0|JSON is asked for in words: openai-compatible:x does not take another wish "
      "for it" },
    { "JSON with a schema is the schema", BASE " answer_schema=yes json_mode=yes",
      "'options':{'schema':{},'json':true}", "0 0 - - - unset 0 {}" },
    { "one call at a time", BASE " single_call=yes",
      "'tools':[{'name':'a'}],'options':{'single_call':true}", "0 0 - - - unset 1 single" },
    { "one call at a time that is refused", BASE " single_call=no",
      "'tools':[{'name':'a'}],'options':{'single_call':true}",
      "0 0 - - - unset 1|the limit of one call was left out: openai-compatible:x does not take "
      "it" },
    { "one call at a time without tools", BASE " single_call=no", "'options':{'single_call':true}",
      "0 0 - - - unset 0" },
    { "words to stop at", BASE " stop=yes", "'options':{'stop':['a','b']}",
      "0 0 - - [\"a\",\"b\"] unset 0" },
    { "no words to stop at", BASE " stop=yes", "'options':{'stop':[]}", "0 0 - - - unset 0" },
    { "more words to stop at than are taken", BASE " stop=yes max_stops=2",
      "'options':{'stop':['a','\\n','c','d']}",
      "0 0 - - [\"a\",\"\\n\"] unset 0|words to stop at after the first 2 were left out: "
      "openai-compatible:x does not take them" },
    { "words to stop at that nobody can see", BASE " stop=yes stop_visible=yes max_stops=2",
      "'options':{'stop':['a','\\n ','','c']}",
      "0 0 - - [\"a\",\"c\"] unset 0|a blank word to stop at was left out: openai-compatible:x "
      "does not take it" },
    { "nothing but such words", BASE " stop=yes stop_visible=yes",
      "'options':{'stop':['\\n']}",
      "0 0 - - - unset 0|a blank word to stop at was left out: openai-compatible:x does not "
      "take it" },
    { "an empty word is none", BASE " stop=yes", "'options':{'stop':['','b']}",
      "0 0 - - [\"b\"] unset 0" },
    { "words to stop at that are refused", BASE " stop=no", "'options':{'stop':['a']}",
      "0 0 - - - unset 0|stop was left out: openai-compatible:x does not take it" },
    { "what one API alone can be asked for is named", BASE " from=anthropic",
      "'extra':{'anthropic':{'mcp_servers':[{}],'container':'c',"
      "'betas':[]}}",
      "0 0 - - - unset 0|wishes of anthropic alone were left out (mcp_servers, container): "
      "openai-compatible:x is not known to have them" },
    { "so is what is asked for among the options", BASE " from=gemini",
      "'extra':{'gemini':{'safetySettings':[{}]}},'options':{'extra':{'gemini':"
      "{'responseModalities':['TEXT','IMAGE'],'thinkingConfig':{},'topK':0}}}",
      "0 0 - - - unset 0|wishes of gemini alone were left out (safetySettings, "
      "responseModalities): openai-compatible:x is not known to have them" },
    { "what says what is so anyway is not", BASE " from=openai-chat",
      "'extra':{'openai-chat':{'modalities':['text'],'n':1,'audio':null,"
      "'stream_options':{'include_usage':true},'background':false,'truncation':'auto'}}",
      "0 0 - - - unset 0" },
    { "what has a notice of its own is not", BASE " from=openai-chat",
      "'extra':{'openai-chat':{'verbosity':'low','n':2}}",
      "0 0 - - - unset 0|verbosity was left out: openai-compatible:x does not take it|answers "
      "other than the first were left out: openai-compatible:x gives one" },
    { "nor what goes back to its own API", "anthropic:claude-sonnet-4-5 from=anthropic",
      "'extra':{'anthropic':{'mcp_servers':[{}]}}", "64000 0 - - - unset 0" },
};

static struct rf_str spelled(const struct rf_jval *v, struct rf_arena *a)
{
    return v ? rf_jval_compact(v, a) : RF_STR("-");
}

static void is_set(void **state)
{
    const struct row *row = *state;
    struct rf_arena *a = rf_arena_new();
    const char *doc = rf_strf(a, "{'refract':1,%s%s'messages':[" USER("x") "]}", row->options,
                              *row->options ? "," : "")
                          .p;
    const struct rf_plan *p = &show_plan(a, row->model, doc, false)->plan;
    struct rf_str thinking = rf_strf(a, "%lld", (long long)p->thinking_budget);
    struct rf_str got =
        rf_strf(a, "%lld %.*s %.*s %.*s %.*s %s %zu%s%s%s%.*s", (long long)p->max_tokens,
                RF_FMT(p->thinking_off ? RF_STR("off") : thinking),
                RF_FMT(spelled(p->temperature, a)), RF_FMT(spelled(p->top_p, a)),
                RF_FMT(spelled(p->stop, a)), choices[p->tool_choice], p->tool_count,
                p->single_call ? " single" : "",
                p->says_json ? " json said"
                : p->json    ? " json"
                             : "",
                p->schema ? " " : "", RF_FMT(p->schema ? p->schema->raw : RF_STR("")));
    for (size_t i = 0; i < p->allowed_count; i++)
        got = rf_strf(a, "%.*s %.*s", RF_FMT(got), RF_FMT(p->allowed[i]));
    for (size_t i = 0; i < p->notice_count; i++)
        if (!rf_str_contains(p->notices[i], RF_STR("is unknown")))
            got = rf_strf(a, "%.*s|%.*s", RF_FMT(got), RF_FMT(p->notices[i]));
    assert_str(got, row->want);
    rf_arena_free(a);
}

static void a_model_that_nobody_knows_is_said_to_be_one(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const struct rf_plan *p = &show_plan(a, "anthropic:never]\x1b[1m", DOC(USER("x")), false)->plan;
    assert_int_equal(p->notice_count, 1);
    assert_str(p->notices[0],
               "the model \"never___1m\" is unknown: it is treated as any model of anthropic");
    p = &show_plan(a, "anthropic:claude-sonnet-4-5", DOC(USER("x")), false)->plan;
    assert_int_equal(p->notice_count, 0);
    rf_arena_free(a);
}

#define THINKING "'options':{'max_tokens':9000,'thinking':{}}"
#define SONNET "'origin':{'provider':'anthropic','model':'claude-sonnet-4-5'}"
#define CALLS(thought) \
    "{'role':'assistant'," SONNET ",'content':[" thought CALL("c1", "look") "]}," OUTPUT("c1", "o")

/* A model that must begin a turn with its thoughts is not asked to think in the middle of one. */
static void thinking_does_not_begin_in_the_middle_of_a_turn(void **state)
{
    static const struct {
        const char *messages;
        int64_t budget;
    } cases[] = {
        { USER("x"), 1024 },
        { USER("x") "," CALLS(""), 0 },
        { USER("x") "," CALLS("{'type':'thinking','thinking':'hm','signature':'s'},"), 1024 },
        { USER("x") "," CALLS("{'type':'thinking','thinking':'hm'},"), 0 },
        { USER("x") "," CALLS("") "," SAYS("done") "," USER("y"), 1024 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        const char *doc =
            rf_strf(a, "{'refract':1," THINKING ",'messages':[%s]}", cases[i].messages).p;
        const struct rf_plan *p = &show_plan(a, "anthropic:claude-sonnet-4-5", doc, false)->plan;
        if (p->thinking_budget != cases[i].budget)
            fail_msg("%zu: %lld", i, (long long)p->thinking_budget);
        assert_int_equal(p->notice_count, cases[i].budget == 0);
        rf_arena_free(a);
    }
}

/* An endpoint that insists on tools which were called gets them, and no schema that they forbid. */
static void tools_that_were_called_are_offered_where_they_have_to_be(void **state)
{
    static const struct {
        const char *model;
        size_t tools;
        bool schema;
    } cases[] = {
        { "anthropic:claude-sonnet-4-5", 1, true },
        { "bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0", 1, true },
        { "bedrock:us.amazon.nova-2-lite-v1:0", 1, false },
        { "litellm:bedrock/us.amazon.nova-2-lite-v1:0", 1, true },
        { "cohere:command-a-03-2025", 1, false },
        { "openai:gpt-5-mini", 0, true },
        { "google:gemini-2.5-flash", 0, true },
        { "mistral:mistral-medium-latest", 0, true },
    };
    const char *doc = "{'refract':1,'options':{'schema':{}},'messages':[" USER("x") "," CALLS(
        "") "," SAYS("done") "," USER("y") "]}";
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rf_arena *a = rf_arena_new();
        const struct rf_plan *p = &show_plan(a, cases[i].model, doc, false)->plan;
        if (p->tool_count != cases[i].tools || !p->schema == cases[i].schema)
            fail_msg("%s: %zu tools, %s schema", cases[i].model, p->tool_count,
                     p->schema ? "a" : "no");
        rf_arena_free(a);
    }
}

static void streams_are_asked_for_in_two_ways(void **state)
{
    (void)state;
    struct rf_arena *a = rf_arena_new();
    const char *doc = "{'refract':1,'options':{'stream':true},'messages':[" USER("x") "]}";
    struct shown *s = show_plan(a, BASE, doc, false);
    assert_true(s->plan.stream);
    s = show_plan(a, BASE, DOC(USER("x")), false);
    assert_false(s->plan.stream);
    const struct rf_plan_options options = { .stream = true };
    assert_int_equal(rf_plan_decide(&s->survey, &s->model, &options, a, &s->plan, NULL), RF_OK);
    assert_true(s->plan.stream);
    rf_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(a_model_that_nobody_knows_is_said_to_be_one),
        cmocka_unit_test(thinking_does_not_begin_in_the_middle_of_a_turn),
        cmocka_unit_test(tools_that_were_called_are_offered_where_they_have_to_be),
        cmocka_unit_test(streams_are_asked_for_in_two_ways),
    };
    struct CMUnitTest tests[COUNT(rows) + COUNT(others)];
    name_rows(tests, is_set, rows, COUNT(rows), sizeof *rows);
    memcpy(tests + COUNT(rows), others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
