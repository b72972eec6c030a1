# Completion of upshot, which is `pith view`, in fish.
complete -c upshot --wraps 'pith view'
