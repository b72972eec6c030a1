/* tournament.h - which of many sources is next: a tree of losers (Knuth, The Art of Computer Programming 3, 5.4.1).
 *
 * The players knock each other out for the least key; each match keeps its loser, and the winner of all is next. When
 * the winner goes on with another key it plays only against the losers on its way up: log2(players) matches at places
 * known beforehand, without a branch to guess, where a heap looks at two children a level to know where to go. With 4
 * players at keys 5 2 7 4: player 1 (2) wins; the losers are 5 and 7 of the first round, 4 of the last. When player 1
 * goes on with 6, it loses against 5, which loses against 4. Of two alike the left one wins. */
#ifndef PITHI_TOURNAMENT_H
#define PITHI_TOURNAMENT_H

#include <stddef.h>
#include <stdint.h>

/* What a player begins with. */
struct pithi_player {
    uint64_t key;
    uint32_t leaf; /* its place: leaves + its number */
};

/* tree[0] is the winner, tree[1 .. leaves - 1] the losers; the match of leaf n is n / 2. Leaves are a power of two; a
 * place beyond the last player has key PITHI_KEY_DONE and no player. */
struct pithi_match {
    uint64_t key;
    struct pithi_player *player;
};

/* Keys of times are in their order. A player at its end comes after all; + 1 must not pass the largest number. (The
 * last two of all times there are count as one: players stand in their order there.) */
#define PITHI_KEY_LAST (UINT64_MAX - 2)
#define PITHI_KEY_DONE (UINT64_MAX - 1)

static inline uint64_t pithi_key_of(int64_t time_ns)
{
    uint64_t key = (uint64_t)time_ns ^ UINT64_C(1) << 63;
    return __builtin_expect(key > PITHI_KEY_LAST, 0) ? PITHI_KEY_LAST : key;
}

static inline uint32_t pithi_tournament_leaves(uint32_t players)
{
    uint32_t leaves = 1;
    while (leaves < players && leaves < 1u << 31)
        leaves *= 2;
    return leaves;
}

/* The winner goes on with `key`: who wins now. Who comes from the right (an odd place) loses ties. Whose turn it is, is
 * chance: no branches. The keys (a minimum and a maximum, whoever wins ties) do not wait for the players, chosen by
 * masks. */
static inline struct pithi_match pithi_tournament_replay(struct pithi_match *tree, struct pithi_player *winner,
                                                         uint64_t key)
{
    uintptr_t player = (uintptr_t)winner;
    for (uint32_t at = winner->leaf; at > 1; at /= 2) {
        struct pithi_match *match = &tree[at / 2];
        uint64_t other_key = match->key;
        uintptr_t other = (uintptr_t)match->player;
        uintptr_t swap = (player ^ other) & -(uintptr_t)(other_key < key + (at & 1));
        match->key = key > other_key ? key : other_key;
        key = key < other_key ? key : other_key;
        match->player = (struct pithi_player *)(other ^ swap);
        player ^= swap;
    }
    return (struct pithi_match){key, (struct pithi_player *)player};
}

/* Plays all matches from the leaves up. `players` are `size` bytes apart, `leaves` at tree[leaves ...] are not there.
 */
static inline struct pithi_match pithi_tournament_play(struct pithi_match *tree, uint32_t leaves, uint32_t at,
                                                       void *players, uint32_t count, size_t size)
{
    if (at >= leaves) {
        struct pithi_player *player = (struct pithi_player *)((char *)players + (at - leaves) * size);
        return at - leaves < count ? (struct pithi_match){player->key, player}
                                   : (struct pithi_match){PITHI_KEY_DONE, NULL};
    }
    struct pithi_match left = pithi_tournament_play(tree, leaves, 2 * at, players, count, size);
    struct pithi_match right = pithi_tournament_play(tree, leaves, 2 * at + 1, players, count, size);
    int right_wins = right.key < left.key;
    tree[at] = right_wins ? left : right;
    return right_wins ? right : left;
}

#endif
